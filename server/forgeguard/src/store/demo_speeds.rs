//! The speeds of demo builds.

use domain::{demo_speed::DemoSpeed, ids::BuildId};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch},
};

/// The speed of a build, normal unless it was changed.
pub async fn get(conn: &mut Conn, build: BuildId) -> Result<DemoSpeed> {
    let found: Vec<(DemoSpeed,)> =
        fetch!(conn, "SELECT speed FROM demo_speeds WHERE build_id = $1", build);
    Ok(found.first().map_or_else(DemoSpeed::default, |(speed,)| *speed))
}

pub async fn put(conn: &mut Conn, build: BuildId, speed: DemoSpeed) -> Result<()> {
    const SQL: &str = "INSERT INTO demo_speeds (build_id, speed) VALUES ($1, $2) \
        ON CONFLICT (build_id) DO UPDATE SET speed = excluded.speed";
    execute!(conn, SQL, build, speed);
    Ok(())
}
