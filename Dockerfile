# The command `fairly`, in an image of its own. The first stage builds it; the second one has nothing but the binaries.
#
#     docker build -t fairly .
#     docker run --rm -v "$PWD:/models:ro" fairly check --fairness weak lock.pml
FROM rust:1.95-slim-bookworm AS build
WORKDIR /fairly
COPY . .
RUN bash release/build /out

FROM debian:bookworm-slim
COPY --from=build /out/fairly /out/cargo-fairly /out/fairly-verify /usr/local/bin/
# Models are untrusted; nothing here needs to be root.
RUN useradd --create-home --uid 10001 fairly
USER 10001
WORKDIR /models
ENTRYPOINT ["fairly"]
CMD ["--help"]
