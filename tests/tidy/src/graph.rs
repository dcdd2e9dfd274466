//! The import graph of files, and its cycles.

use std::collections::{BTreeMap, BTreeSet};

/// An import of `to` by `from` at `line`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge<'a> {
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
    pub(crate) line: usize,
}

/// Imports between files; of repeated ones only the first is kept.
#[derive(Debug, Default)]
pub(crate) struct Graph<'a> {
    targets: BTreeMap<&'a str, BTreeMap<&'a str, usize>>,
}

impl<'a> Graph<'a> {
    pub(crate) fn add(&mut self, from: &'a str, to: &'a str, line: usize) {
        self.targets.entry(from).or_default().entry(to).or_insert(line);
    }

    pub(crate) fn edges(&self) -> impl Iterator<Item = Edge<'a>> {
        self.targets.iter().flat_map(|(from, targets)| {
            targets.iter().map(|(to, line)| Edge { from, to, line: *line })
        })
    }

    /// One cycle per import that closes one, as edges in order, with the closing edge last.
    pub(crate) fn cycles(&self) -> Vec<Vec<Edge<'a>>> {
        let mut search = Search { graph: self, done: BTreeSet::new(), cycles: Vec::new() };
        for from in self.targets.keys() {
            search.visit(from, &mut Vec::new());
        }
        search.cycles
    }
}

struct Search<'g, 'a> {
    graph: &'g Graph<'a>,
    done: BTreeSet<&'a str>,
    cycles: Vec<Vec<Edge<'a>>>,
}

impl<'a> Search<'_, 'a> {
    fn visit(&mut self, file: &'a str, way: &mut Vec<Edge<'a>>) {
        if self.done.contains(file) {
            return;
        }
        for (to, line) in self.graph.targets.get(file).into_iter().flatten() {
            let edge = Edge { from: file, to, line: *line };
            way.push(edge);
            match way.iter().position(|earlier| earlier.from == *to) {
                Some(start) => self.cycles.push(way[start..].to_vec()),
                None => self.visit(to, way),
            }
            way.pop();
        }
        self.done.insert(file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycles(edges: &[(&'static str, &'static str)]) -> Vec<String> {
        let mut graph = Graph::default();
        edges.iter().for_each(|(from, to)| graph.add(from, to, 1));
        let name = |cycle: &Vec<Edge<'_>>| cycle.iter().map(|edge| edge.from).collect();
        graph.cycles().iter().map(name).collect()
    }

    #[test]
    fn cycles_of_any_length_are_found_once() {
        assert_eq!(cycles(&[("a", "b"), ("b", "a")]), ["ab"]);
        assert_eq!(cycles(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")]), ["bcd"]);
        assert_eq!(cycles(&[("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")]), ["ab", "cd"]);
    }

    #[test]
    fn two_paths_to_one_file_are_not_a_cycle() {
        assert!(cycles(&[("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]).is_empty());
    }
}
