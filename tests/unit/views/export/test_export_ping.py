"""The lines of a ping for programs."""

from threadping.model import PingLine, ReferencePing
from threadping.views.export.ping import line_json


def test_a_line_is_one_object_with_every_key() -> None:
    failed = PingLine(ReferencePing((0, 1), 7.5, 0, None, failure="CPU 1\nis gone."), 3, 2.0)
    changed = PingLine(ReferencePing((0, 1), 8.5, 0, 127.5, 200, 300), 4, 3.0, None, 26.5)
    assert [line_json(line) for line in (failed, changed)] == [
        '{"at":7.5,"seq":3,"cpus":[0,1],"one_way_ns":null,"p99_ns":null,"max_ns":null,"changed":false,'
        '"failure":"CPU 1\\nis gone."}',
        '{"at":8.5,"seq":4,"cpus":[0,1],"one_way_ns":127.5,"p99_ns":200,"max_ns":300,"changed":true,"failure":null}',
    ]
