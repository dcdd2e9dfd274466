//! Environment variables that point programs to the proxy.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};

/// Where the proxy listens, in the network namespace of each run. Fixed, so that the environment of
/// commands does not vary.
pub const PROXY_ADDRESS: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 3128));

/// Where the caller of a run can serve requests of its command, in the same namespace.
pub const SERVICE_ADDRESS: SocketAddr =
    SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 3129));

/// Servers of the command itself are reached directly.
const NO_PROXY: &str = "localhost,127.0.0.1,::1";

/// Variables that make tools use the proxy: curl, git, cargo, npm, pip and Go read the common
/// ones; Java programs such as Maven and Gradle need system properties.
pub fn variables() -> impl Iterator<Item = (String, String)> {
    let proxy = format!("http://{PROXY_ADDRESS}");
    let (host, port) = (PROXY_ADDRESS.ip(), PROXY_ADDRESS.port());
    let java = format!(
        "-Dhttp.proxyHost={host} -Dhttp.proxyPort={port} -Dhttps.proxyHost={host} \
         -Dhttps.proxyPort={port} -Dhttp.nonProxyHosts=localhost|127.0.0.1|[::1] \
         -Daether.transport.http.useSystemProperties=true \
         -Daether.connector.http.useSystemProperties=true"
    );
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]
        .map(|name| (name, proxy.clone()))
        .into_iter()
        .chain([
            ("NO_PROXY", NO_PROXY.to_owned()),
            ("no_proxy", NO_PROXY.to_owned()),
            ("JAVA_TOOL_OPTIONS", java),
        ])
        .map(|(name, value)| (name.to_owned(), value))
}
