"""Counting tokens: of texts, and of whole chats with what a template puts around them.

A prompt is built to a length by the tokenizer of the language model that gets it, chat template
included. Simulated language models have a small tokenizer of their own, which needs nothing.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lcstats.errors import OptionError, describe
from lcstats.extras import load_extra

Message = Mapping[str, str]
"""A turn of a chat: its ``role`` and its ``content``."""

_TOKEN = re.compile(r" ?[^\W\d_]{1,8}|\d{1,3}|[^\w\s]|_|\s")
_PER_MESSAGE = 4
_TO_ANSWER = 3


class Tokenizer(Protocol):
    """What counts tokens."""

    def __hash__(self) -> int:
        """Tell tokenizers apart: what one has counted is remembered."""

    @property
    def name(self) -> str:
        """Name for the manifest."""

    def count_texts(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Return the tokens of each text on its own, without any template."""

    def count_messages(self, messages: Sequence[Message]) -> int:
        """Return the tokens of a chat as the language model gets it, up to where it answers."""

    def describe(self) -> dict[str, Any]:
        """Return what tells this tokenizer from others."""


def ends_in_answer(messages: Sequence[Message]) -> bool:
    """Tell whether the last message of a chat is an answer, which is to go on."""
    return messages[-1]["role"] == "assistant"


def _count_without_template(tokenizer: Tokenizer, messages: Sequence[Message]) -> int:
    inside = tokenizer.count_texts([message["content"] for message in messages])
    return int(inside.sum()) + _PER_MESSAGE * len(messages) + _TO_ANSWER


@lru_cache(maxsize=2**15)
def _count_after_space(word: str) -> int:
    return len(_TOKEN.findall(f" {word}"))


def _count_tokens(text: str) -> int:
    """Return the tokens of a text word by word: a space only ever begins a token, or is one."""
    first, *others = text.split(" ")
    return len(_TOKEN.findall(first)) + sum(map(_count_after_space, others))


class BuiltinTokenizer:
    """Short pieces of words, three digits at a time: near to what real tokenizers count.

    Examples
    --------
    >>> tokenizer = BuiltinTokenizer()
    >>> tokenizer.count_texts(["The code is 4829173."]).tolist()
    [8]
    >>> tokenizer.count_messages([{"role": "user", "content": "The code is 4829173."}])
    15
    """

    name = "builtin"

    def count_texts(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Return the tokens of each text."""
        return np.array([_count_tokens(text) for text in texts], dtype=np.int64)

    def count_messages(self, messages: Sequence[Message]) -> int:
        """Return the tokens of a chat, with a fixed number around each message."""
        return _count_without_template(self, messages)

    def describe(self) -> dict[str, Any]:
        """Return its name."""
        return {"name": self.name}


class ChatTokenizer:
    """A tokenizer of transformers with its chat template.

    Parameters
    ----------
    tokenizer : transformers.PreTrainedTokenizerBase
    name : str

    Raises
    ------
    OptionError
        If it has no chat template, or its template makes prompts that begin with two BOS tokens.
    """

    def __init__(self, tokenizer: Any, name: str) -> None:
        self.name = name
        self._tokenizer = tokenizer
        if not tokenizer.chat_template:
            raise OptionError(
                describe(
                    f"the tokenizer of {name} has no chat template",
                    "expected one, since prompts are sent as chats",
                    "use the instruction-tuned variant, or add chat_template.jinja to its folder",
                )
            )
        self._refuse_two_starts()

    @property
    def underlying(self) -> Any:
        """The tokenizer of transformers."""
        return self._tokenizer

    def _refuse_two_starts(self) -> None:
        first = self.encode([{"role": "user", "content": "a"}])[:2]
        start = self._tokenizer.bos_token_id
        if start is not None and first == [start, start]:
            raise OptionError(
                describe(
                    f"prompts of {self.name} begin with two BOS tokens ({start})",
                    "expected one",
                    "take the BOS token out of the chat template, or set add_bos_token to false",
                )
            )

    def render(self, messages: Sequence[Message]) -> str:
        """Return a chat as text, up to where the language model answers or goes on."""
        is_begun = ends_in_answer(messages)
        how = {"continue_final_message": True} if is_begun else {"add_generation_prompt": True}
        text: str = self._tokenizer.apply_chat_template(list(messages), tokenize=False, **how)
        return text

    def encode(self, messages: Sequence[Message]) -> list[int]:
        """Return the token ids of a chat; the template alone decides on special tokens."""
        text = self.render(messages)
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def count_texts(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Return the tokens of each text, without special tokens."""
        backend = getattr(self._tokenizer, "backend_tokenizer", None)
        if backend is None:
            rows = self._tokenizer(list(texts), add_special_tokens=False)["input_ids"]
        else:
            # Without noting where each token stands, which takes as long as finding them.
            rows = backend.encode_batch_fast(list(texts), add_special_tokens=False)
        return np.array([len(row) for row in rows], dtype=np.int64)

    def count_messages(self, messages: Sequence[Message]) -> int:
        """Return the tokens of a chat."""
        return int(self.count_texts([self.render(messages)])[0])

    def describe(self) -> dict[str, Any]:
        """Return name, vocabulary size and a digest of the template."""
        template = str(self._tokenizer.chat_template)
        return {
            "name": self.name,
            "vocabulary": len(self._tokenizer),
            "template_sha256": sha256(template.encode()).hexdigest(),
        }


class TiktokenTokenizer:
    """An encoding of tiktoken, with a fixed number of tokens around each message.

    Parameters
    ----------
    encoding : str
        ``o200k_base``, say.
    """

    def __init__(self, encoding: str) -> None:
        tiktoken = load_extra("tiktoken", extra="openai", purpose=f"the encoding {encoding}")
        self.name = f"tiktoken:{encoding}"
        self._encoding = tiktoken.get_encoding(encoding)

    def count_texts(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Return the tokens of each text."""
        ids = self._encoding.encode_ordinary_batch(list(texts))
        return np.array([len(row) for row in ids], dtype=np.int64)

    def count_messages(self, messages: Sequence[Message]) -> int:
        """Return the tokens of a chat; what the server adds beyond that is measured there."""
        return _count_without_template(self, messages)

    def describe(self) -> dict[str, Any]:
        """Return its name."""
        return {"name": self.name}


def open_tokenizer(spec: str) -> Tokenizer:
    """Return a tokenizer by what ``--tokenizer`` says: builtin, hf:FOLDER_OR_ID, tiktoken:NAME.

    Raises
    ------
    OptionError
        If it says something else.
    MissingExtraError
        If what it names needs a library that is not installed.

    Examples
    --------
    >>> open_tokenizer("builtin").name
    'builtin'
    """
    kind, _, name = spec.partition(":")
    if spec == "builtin":
        return BuiltinTokenizer()
    if kind == "hf" and name:
        transformers = load_extra("transformers", extra="hf", purpose=f"the tokenizer of {name}")
        return ChatTokenizer(transformers.AutoTokenizer.from_pretrained(name), name)
    if kind == "tiktoken" and name:
        return TiktokenTokenizer(name)
    raise OptionError(
        describe(
            f"the tokenizer is {spec!r}",
            "expected builtin, hf:FOLDER_OR_ID or tiktoken:ENCODING",
            "pass --tokenizer hf:FOLDER with the language model's own tokenizer",
        )
    )
