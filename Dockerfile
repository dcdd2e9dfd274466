# syntax=docker/dockerfile:1
# ForgeGuard as an image: docker build -t forgeguard . && docker run -p 8080:8080 -v forge:/data forgeguard

FROM node:22-trixie-slim AS web
WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY web ./
# Lands in /src/static/app.
RUN npm run build

FROM rust:1.95-slim-trixie AS server
WORKDIR /src
# The image's own toolchain is the one that rust-toolchain.toml asks for, without its extra components.
ENV RUSTUP_TOOLCHAIN=1.95.0
COPY Cargo.toml Cargo.lock ./
COPY server server
COPY tests tests
COPY migrations migrations
COPY static static
COPY --from=web /src/static/app static/app
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --locked --profile dist -p forgeguard \
    && cp target/dist/forgeguard /forgeguard

FROM debian:trixie-slim
# git for clones, OpenSSH for repositories with ssh addresses, bubblewrap for the sandbox's strict level, Node for the demo project's tests.
RUN apt-get update \
    && apt-get install -y --no-install-recommends bubblewrap ca-certificates git nodejs openssh-client \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --create-home forge \
    && install -d -o forge -g forge /data
COPY --from=server /forgeguard /usr/local/bin/forgeguard
USER forge
WORKDIR /home/forge
ENV FORGEGUARD_LISTEN=0.0.0.0:8080 \
    FORGEGUARD_DATA_DIR=/data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s \
    CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["forgeguard"]
CMD ["serve"]
