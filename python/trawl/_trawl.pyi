"""What the extension module gives."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import Any, Literal, Protocol, SupportsIndex, final, overload

from ._sources import Cells, Lines, Matches
from typing_extensions import Buffer, CapsuleType, Self, TypeAlias

class _ArrowArray(Protocol):
    def __arrow_c_array__(
        self, requested_schema: Any = None
    ) -> tuple[CapsuleType, CapsuleType]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None) -> CapsuleType: ...

class _Reads(Protocol):
    def read(self, size: int, /) -> bytes: ...

# Arrays whose classes declare the buffer protocol from Python 3.12 on alone, and tensors.
class _NumpyArray(Protocol):
    @property
    def __array_interface__(self) -> dict[str, Any]: ...

class _CudaArray(Protocol):
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

class _Tensor(Protocol):
    def __dlpack__(self, *arguments: Any, **words: Any) -> Any: ...

class _Lines(Protocol):
    def read(self) -> str | bytes: ...

_Pattern: TypeAlias = str | Buffer
_Array: TypeAlias = Buffer | _NumpyArray | _CudaArray | _Tensor
_TextSource: TypeAlias = Text | _Array | str | PathLike[str] | PathLike[bytes] | _Reads | int
_Records: TypeAlias = _ArrowArray | _ArrowStream | Iterable[str | Buffer | None]
_Offsets: TypeAlias = Literal["characters", "bytes"]
_Spans: TypeAlias = Literal["leftmost-longest", "leftmost-first"]
_Answer: TypeAlias = Literal["index", "pattern", "value"]
_Values: TypeAlias = str | bytes | Sequence[str | bytes]
_Column: TypeAlias = _ArrowArray | _ArrowStream
_Progress: TypeAlias = Callable[[int], object] | None
_Match: TypeAlias = tuple[Any, ...]
_Alphabet: TypeAlias = Literal["bytes", "utf8", "dna"]
_Method: TypeAlias = Literal["auto", "every", "grams", "sampled", "set", "buckets", "classes",
                           "automaton"]

__version__: str

def algorithms() -> list[tuple[str, str]]: ...
def instruction_sets() -> list[str]: ...
def strings(column: _Records, /) -> list[bytes]: ...
def struct_capsules(columns: dict[str, Column | Array], /) -> tuple[CapsuleType, CapsuleType]: ...
def numbers(saved: Buffer, /) -> Column: ...

@final
class Plan:
    def __new__(
        cls,
        patterns: (
            _Pattern
            | PathLike[str]
            | _Lines
            | Mapping[Any, Any]
            | Iterable[_Pattern]
            | _ArrowArray
            | _ArrowStream
        ),
        *,
        values: Iterable[Any] | None = None,
        ignore_case: bool = False,
        words: bool = False,
        lines: bool = False,
        line_end: bytes = b"\n",
        unicode: bool = False,
        method: _Method = "auto",
        algorithm: str | None = None,
        sample: Buffer | _NumpyArray | None = None,
        mismatches: int = 0,
        edits: int = 0,
        alphabet: _Alphabet | None = None,
        exact: Iterable[tuple[int, int]] = (),
        every_end: bool = False,
        within_lines: bool = False,
        reverse_complement: bool = False,
        any_base: bool = False,
    ) -> Self: ...
    def explain(self) -> str: ...
    @property
    def ignore_case(self) -> bool: ...
    @property
    def whole_words(self) -> bool: ...
    @property
    def whole_lines(self) -> bool: ...
    @property
    def unicode(self) -> bool: ...
    @property
    def mismatches(self) -> int: ...
    @property
    def edits(self) -> int: ...
    @property
    def alphabet(self) -> _Alphabet: ...
    @property
    def engines(self) -> tuple[str, ...]: ...
    @property
    def values(self) -> tuple[Any, ...] | None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: SupportsIndex, /) -> bytes: ...
    def __iter__(self) -> Iterator[bytes]: ...
    def count(self, text: _TextSource, *, progress: _Progress = None) -> int: ...
    def count_by_pattern(self, text: _TextSource, *, progress: _Progress = None) -> Column: ...
    def count_lines(
        self,
        text: _TextSource,
        *,
        invert: bool = False,
        limit: int | None = None,
        progress: _Progress = None,
    ) -> int: ...
    def first(
        self, text: _TextSource, *, offsets: _Offsets = "characters", progress: _Progress = None
    ) -> _Match | None: ...
    def positions(
        self, text: _TextSource, *, offsets: _Offsets = "characters", progress: _Progress = None
    ) -> Column: ...
    def positions_into(
        self,
        text: _TextSource,
        out: _Array,
        *,
        offsets: _Offsets = "characters",
        progress: _Progress = None,
    ) -> int: ...
    def matches(
        self,
        text: _TextSource,
        *,
        match: Literal["all"] | _Spans = "all",
        line_numbers: bool = False,
        offsets: _Offsets = "characters",
        progress: _Progress = None,
    ) -> Matches: ...
    def iter(
        self, text: _TextSource, *, offsets: _Offsets = "characters"
    ) -> Iterator[tuple[int, Any]]: ...
    def batches(
        self,
        text: _TextSource,
        *,
        line_numbers: bool = False,
        offsets: _Offsets = "characters",
    ) -> Batches: ...
    def each(
        self,
        text: _TextSource,
        call: Callable[[Matches], object],
        *,
        line_numbers: bool = False,
        offsets: _Offsets = "characters",
    ) -> int: ...
    def lines(
        self, text: _TextSource, *, offsets: _Offsets = "characters", progress: _Progress = None
    ) -> Lines: ...
    def line_batches(
        self, text: _TextSource, *, offsets: _Offsets = "characters"
    ) -> LineBatches: ...
    def contains(self, column: _Records, *, progress: _Progress = None) -> Array: ...
    @overload
    def which(
        self,
        column: _Records,
        *,
        answer: Literal["index"] = "index",
        progress: _Progress = None,
    ) -> Array: ...
    @overload
    def which(
        self,
        column: _Records,
        *,
        answer: Literal["pattern", "value"],
        progress: _Progress = None,
    ) -> list[Any]: ...
    @overload
    def replace(
        self,
        text: str,
        values: _Values | None = None,
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> str: ...
    @overload
    def replace(
        self,
        text: Buffer,
        values: _Values | None = None,
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> bytes: ...
    @overload
    def replace(
        self,
        text: _Column,
        values: _Values | None = None,
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> Array: ...
    @overload
    def replace(
        self,
        text: list[Any] | tuple[Any, ...],
        values: _Values | None = None,
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> list[Any]: ...
    @overload
    def mask(
        self,
        text: str,
        mask: str | bytes = "*",
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> str: ...
    @overload
    def mask(
        self,
        text: Buffer,
        mask: str | bytes = "*",
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> bytes: ...
    @overload
    def mask(
        self,
        text: _Column,
        mask: str | bytes = "*",
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> Array: ...
    @overload
    def mask(
        self,
        text: list[Any] | tuple[Any, ...],
        mask: str | bytes = "*",
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> list[Any]: ...
    @overload
    def split(
        self,
        text: str,
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> list[str]: ...
    @overload
    def split(
        self,
        text: Buffer,
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> list[bytes]: ...
    @overload
    def split(
        self,
        text: _Column | list[Any] | tuple[Any, ...],
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> list[Any]: ...
    def pattern_counts(self, column: _Records, *, progress: _Progress = None) -> Array: ...
    def pattern_lists(self, column: _Records, *, progress: _Progress = None) -> Array: ...
    def cells(self, column: _Records, *, progress: _Progress = None) -> Cells: ...
    def record_counts(self, column: _Records, *, progress: _Progress = None) -> Column: ...

@final
class Searcher:
    def __new__(
        cls,
        engine: Literal["auto", "cpu", "cuda"] = "auto",
        threads: int = 0,
        *,
        instruction_set: str | None = None,
        device_memory: int = 0,
        host_memory: int = 0,
        chunk_bytes: int = 0,
    ) -> Self: ...
    def close(self) -> None: ...
    def cancel(self) -> None: ...
    def load(self, text: _TextSource, /) -> Text: ...
    def unload(self, text: Text, /) -> None: ...
    def stats(self) -> dict[str, Any]: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
    def count(self, plan: Plan, text: _TextSource, *, progress: _Progress = None) -> int: ...
    def count_by_pattern(
        self, plan: Plan, text: _TextSource, *, progress: _Progress = None
    ) -> Column: ...
    def count_lines(
        self,
        plan: Plan,
        text: _TextSource,
        *,
        invert: bool = False,
        limit: int | None = None,
        progress: _Progress = None,
    ) -> int: ...
    def first(
        self,
        plan: Plan,
        text: _TextSource,
        *,
        offsets: _Offsets = "characters",
        progress: _Progress = None,
    ) -> _Match | None: ...
    def positions(
        self,
        plan: Plan,
        text: _TextSource,
        *,
        offsets: _Offsets = "characters",
        progress: _Progress = None,
    ) -> Column: ...
    def positions_into(
        self,
        plan: Plan,
        text: _TextSource,
        out: _Array,
        *,
        offsets: _Offsets = "characters",
        progress: _Progress = None,
    ) -> int: ...
    def matches(
        self,
        plan: Plan,
        text: _TextSource,
        *,
        match: Literal["all"] | _Spans = "all",
        line_numbers: bool = False,
        offsets: _Offsets = "characters",
        progress: _Progress = None,
    ) -> Matches: ...
    def iter(
        self, plan: Plan, text: _TextSource, *, offsets: _Offsets = "characters"
    ) -> Iterator[tuple[int, Any]]: ...
    def batches(
        self,
        plan: Plan,
        text: _TextSource,
        *,
        line_numbers: bool = False,
        offsets: _Offsets = "characters",
    ) -> Batches: ...
    def each(
        self,
        plan: Plan,
        text: _TextSource,
        call: Callable[[Matches], object],
        *,
        line_numbers: bool = False,
        offsets: _Offsets = "characters",
    ) -> int: ...
    def lines(
        self,
        plan: Plan,
        text: _TextSource,
        *,
        offsets: _Offsets = "characters",
        progress: _Progress = None,
    ) -> Lines: ...
    def line_batches(
        self, plan: Plan, text: _TextSource, *, offsets: _Offsets = "characters"
    ) -> LineBatches: ...
    def contains(
        self, plan: Plan, column: _Records, *, progress: _Progress = None
    ) -> Array: ...
    @overload
    def which(
        self,
        plan: Plan,
        column: _Records,
        *,
        answer: Literal["index"] = "index",
        progress: _Progress = None,
    ) -> Array: ...
    @overload
    def which(
        self,
        plan: Plan,
        column: _Records,
        *,
        answer: Literal["pattern", "value"],
        progress: _Progress = None,
    ) -> list[Any]: ...
    @overload
    def replace(
        self,
        plan: Plan,
        text: str,
        values: _Values | None = None,
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> str: ...
    @overload
    def replace(
        self,
        plan: Plan,
        text: Buffer,
        values: _Values | None = None,
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> bytes: ...
    @overload
    def replace(
        self,
        plan: Plan,
        text: _Column,
        values: _Values | None = None,
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> Array: ...
    @overload
    def replace(
        self,
        plan: Plan,
        text: list[Any] | tuple[Any, ...],
        values: _Values | None = None,
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> list[Any]: ...
    @overload
    def mask(
        self,
        plan: Plan,
        text: str,
        mask: str | bytes = "*",
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> str: ...
    @overload
    def mask(
        self,
        plan: Plan,
        text: Buffer,
        mask: str | bytes = "*",
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> bytes: ...
    @overload
    def mask(
        self,
        plan: Plan,
        text: _Column,
        mask: str | bytes = "*",
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> Array: ...
    @overload
    def mask(
        self,
        plan: Plan,
        text: list[Any] | tuple[Any, ...],
        mask: str | bytes = "*",
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> list[Any]: ...
    @overload
    def split(
        self,
        plan: Plan,
        text: str,
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> list[str]: ...
    @overload
    def split(
        self,
        plan: Plan,
        text: Buffer,
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> list[bytes]: ...
    @overload
    def split(
        self,
        plan: Plan,
        text: _Column | list[Any] | tuple[Any, ...],
        *,
        match: _Spans = "leftmost-longest",
        progress: _Progress = None,
    ) -> list[Any]: ...
    def pattern_counts(
        self, plan: Plan, column: _Records, *, progress: _Progress = None
    ) -> Array: ...
    def pattern_lists(
        self, plan: Plan, column: _Records, *, progress: _Progress = None
    ) -> Array: ...
    def cells(
        self, plan: Plan, column: _Records, *, progress: _Progress = None
    ) -> Cells: ...
    def record_counts(
        self, plan: Plan, column: _Records, *, progress: _Progress = None
    ) -> Column: ...

@final
class Text:
    def __new__(cls, source: _TextSource, *, decompress: bool = False) -> Self: ...
    @property
    def nbytes(self) -> int | None: ...
    @property
    def is_stream(self) -> bool: ...

@final
class Column:
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> int: ...
    @overload
    def __getitem__(self, index: slice, /) -> Column: ...
    def __iter__(self) -> Iterator[int]: ...
    def tolist(self) -> list[int]: ...
    def to_numpy(self) -> Any: ...
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def to_polars(self) -> Any: ...
    def _repr_html_(self) -> str: ...
    def __arrow_c_array__(
        self, requested_schema: CapsuleType | None = None
    ) -> tuple[CapsuleType, CapsuleType]: ...

@final
class Array:
    @property
    def null_count(self) -> int: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: SupportsIndex, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def tolist(self) -> list[Any]: ...
    def to_numpy(self) -> Any: ...
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def to_polars(self) -> Any: ...
    def _repr_html_(self) -> str: ...
    def __call__(self, frame: Any, /) -> Any: ...
    def __arrow_c_array__(
        self, requested_schema: CapsuleType | None = None
    ) -> tuple[CapsuleType, CapsuleType]: ...

@final
class Batches:
    def __iter__(self) -> Self: ...
    def __next__(self) -> Matches: ...

@final
class LineBatches:
    def __iter__(self) -> Self: ...
    def __next__(self) -> Lines: ...
