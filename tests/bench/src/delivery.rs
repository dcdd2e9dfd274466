//! Append and deliver: events committed and sent to many sockets, beside a bare broadcaster.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use forgeguard::store;
use support::Postgres;
use tokio::{runtime::Handle, task::JoinSet};

use crate::{
    Result, broadcaster::Broadcaster, figures, fixture::Fixture, options::Options, sample,
    service::Service, socket::Socket, table::Measure, window::Window,
};

/// Events that the slowest reader may be behind the producer.
const WINDOW: u64 = 2_048;
/// Appends under way at once, as the agents of several builds and the lines of their commands make
/// them.
const IN_FLIGHT: u64 = 512;
/// Events at the beginning of a build that was prepared.
const PREPARED: u64 = 5;

/// Sockets at which a bare broadcaster and PostgreSQL are compared with SQLite.
const COMPARED_SOCKETS: u64 = 50;

/// Rates at 1, 50 and 500 sockets. `readers` is where the clients run.
pub async fn measure(options: &Options, readers: &Handle) -> Result<Vec<Measure>> {
    let postgres = Postgres::create_durable().await;
    let measured = measure_with(options, readers, postgres.url()).await;
    postgres.remove().await;
    measured
}

async fn measure_with(
    options: &Options,
    readers: &Handle,
    postgres_url: &str,
) -> Result<Vec<Measure>> {
    let on_sqlite = Service::start(None).await?;
    let on_postgres = Service::start(Some(postgres_url)).await?;
    let mut measures = Vec::new();
    for sockets in [1, COMPARED_SOCKETS, 500] {
        let is_compared = sockets == COMPARED_SOCKETS;
        let (mut sqlite, mut postgres, mut bare) = (Vec::new(), Vec::new(), Vec::new());
        // In turns, so that a slow moment of the machine meets all of them.
        for _ in 0..options.amount(3, 1) {
            let time = Duration::from_millis(options.amount(2_000, 700));
            bare.push(broadcast(sockets, time, readers).await?);
            sqlite.push(append(&on_sqlite, sockets, time, readers).await?);
            if is_compared {
                postgres.push(append(&on_postgres, sockets, time, readers).await?);
            }
        }
        let (sqlite, bare) = (figures::median(&sqlite), figures::median(&bare));
        let measure = |name: &str, rate: f64, beside: f64| {
            let value =
                format!("{}/s beside {}/s", figures::grouped(rate), figures::grouped(beside));
            let name = format!("deliver: to {sockets} sockets{name}");
            Measure::new(name, value).ratio(rate / beside)
        };
        let beside_bare = measure("", sqlite, bare);
        if !is_compared {
            measures.push(beside_bare);
            continue;
        }
        measures.push(beside_bare.at_least(sqlite / bare, 0.5, ""));
        let postgres = figures::median(&postgres);
        let beside_sqlite = measure(" on PostgreSQL, beside SQLite", postgres, sqlite);
        measures.push(beside_sqlite.at_least(postgres / sqlite, 0.5, ""));
    }
    on_sqlite.stop().await?;
    on_postgres.stop().await?;
    Ok(measures)
}

/// Events a second through journal and feed.
async fn append(service: &Service, sockets: u64, time: Duration, readers: &Handle) -> Result<f64> {
    let fixture = Fixture::of(service.journal(), service.owner()).await?;
    let mut audience = Vec::new();
    for _ in 0..sockets {
        let mut socket = Socket::open(service.address(), "/api/ws", Some(service.token())).await?;
        socket.subscribe(fixture.build, PREPARED).await?;
        audience.push(socket);
    }
    let window = Window::new(sockets, WINDOW);
    let reading = read_all(audience, PREPARED, &window, readers);
    let (begun, next) = (Instant::now(), Arc::new(AtomicU64::new(0)));
    let mut writers = JoinSet::<Result<()>>::new();
    for _ in 0..IN_FLIGHT {
        let (fixture, window, next) = (fixture.clone(), window.clone(), next.clone());
        writers.spawn(async move {
            while begun.elapsed() < time {
                window.admit().await;
                let number = next.fetch_add(1, Ordering::Relaxed);
                fixture.append(sample::event(fixture.run, number)).await?;
            }
            Ok(())
        });
    }
    while let Some(ended) = writers.join_next().await {
        ended??;
    }
    finish(begun, next.load(Ordering::Relaxed), &window, reading).await
}

/// Events a second from memory.
async fn broadcast(sockets: u64, time: Duration, readers: &Handle) -> Result<f64> {
    let broadcaster = Broadcaster::start(2 * WINDOW as usize).await?;
    let address = broadcaster.address.to_string();
    let mut audience = Vec::new();
    for _ in 0..sockets {
        audience.push(Socket::open(&address, "/ws", None).await?);
    }
    while broadcaster.listeners() < sockets as usize {
        tokio::task::yield_now().await;
    }
    let window = Window::new(sockets, WINDOW);
    let reading = read_all(audience, 0, &window, readers);
    let (build, run) = (store::new_id(), store::new_id());
    let (begun, mut seq) = (Instant::now(), 0);
    while begun.elapsed() < time {
        window.admit().await;
        let body = sample::event(run, seq);
        seq += 1;
        broadcaster.send(sample::bare_frame(build, seq, store::now(), body));
    }
    finish(begun, seq, &window, reading).await
}

/// Reads every socket; each has to see every event after `before`, in order.
fn read_all(
    audience: Vec<Socket>,
    before: u64,
    window: &Arc<Window>,
    readers: &Handle,
) -> JoinSet<Result<()>> {
    let mut reading = JoinSet::new();
    for mut socket in audience {
        let window = window.clone();
        let read = async move {
            let mut last = before;
            loop {
                let (mut now, mut gap) = (last, None);
                socket
                    .read(|seq| {
                        if seq != now + 1 {
                            gap.get_or_insert((now, seq));
                        }
                        now = seq;
                    })
                    .await?;
                if let Some((from, to)) = gap {
                    return Err(format!("after event {from} came event {to}").into());
                }
                window.arrived(last - before, now - before);
                last = now;
            }
        };
        reading.spawn_on(read, readers);
    }
    reading
}

/// Waits until all have everything; a reader that ends before has failed.
async fn finish(
    begun: Instant,
    events: u64,
    window: &Window,
    mut reading: JoinSet<Result<()>>,
) -> Result<f64> {
    tokio::select! {
        () = window.all_have(events) => Ok(figures::per_second(events, begun.elapsed())),
        Some(ended) = reading.join_next() => {
            ended??;
            Err("a reader ended too early".into())
        }
    }
}
