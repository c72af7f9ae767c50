"""The layers that experiments share by name: a run of all of them measures those of one name together."""

FIRST = "what is measured first"
OTHER_MECHANISMS = "the other mechanisms"
