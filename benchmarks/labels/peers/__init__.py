"""Other libraries at equal distinct labels; none is a dependency, and one that is missing has a row that says so."""

from typing import Final

from benchmarks.labels.peers.activeeval_peer import Activeeval
from benchmarks.labels.peers.glide import Glide
from benchmarks.labels.peers.oasis_peer import Oasis
from benchmarks.labels.peers.peer import Peer
from benchmarks.labels.peers.plain_sampling import PlainSampling
from benchmarks.labels.peers.ppi import Ppi
from benchmarks.labels.peers.ssepy_peer import Ssepy
from benchmarks.labels.peers.svy_peer import Svy

PEERS: Final[tuple[Peer, ...]] = (PlainSampling(), Ssepy(), Ppi(), Glide(), Oasis(), Activeeval(), Svy())
