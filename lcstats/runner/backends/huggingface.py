"""Language models in this process, through transformers: greedy, and never a prompt cut."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lcstats.errors import OptionError, describe
from lcstats.extras import load_extra
from lcstats.runner.replies import Reply, Request
from lcstats.runner.tokens import ChatTokenizer, Tokenizer

GGUF = ".gguf"
POSITIONS = (
    "max_position_embeddings",
    "rope_theta",
    "rope_scaling",
    "rope_parameters",
    "sliding_window",
    "dtype",
)
"""Settings of a language model that decide on what it does with long prompts."""

_LIMITS = ("max_position_embeddings", "n_positions", "max_seq_len")


class HuggingFaceBackend:
    """A language model of transformers.

    Parameters
    ----------
    name : str
        A folder, an id, or a ``.gguf`` file.
    tokenizer : ChatTokenizer
    config : transformers.PretrainedConfig
    dtype : str

    Notes
    -----
    Weights are loaded with the first request, so that prompts can be built without them.
    """

    counts_itself = False

    def __init__(self, name: str, tokenizer: ChatTokenizer, config: Any, *, dtype: str) -> None:
        self.model = Path(name).stem if name.endswith(GGUF) else Path(name).name
        self.tokenizer: Tokenizer = tokenizer
        self._chat, self._config, self._dtype = tokenizer, config, dtype
        self._name = name
        self._loaded: Any = None

    @classmethod
    def load(cls, name: str, *, dtype: str = "auto") -> "HuggingFaceBackend":
        """Load tokenizer and settings.

        Raises
        ------
        OptionError
            If there is no such language model, or no such dtype.
        MissingExtraError
            If transformers or torch is not installed.
        """
        transformers = load_extra("transformers", extra="hf", purpose=f"the language model {name}")
        torch = load_extra("torch", extra="hf", purpose=f"the language model {name}")
        if dtype != "auto" and not isinstance(getattr(torch, dtype, None), torch.dtype):
            raise OptionError(
                describe(
                    f"dtype is {dtype!r}",
                    "expected auto, float32, bfloat16 or float16",
                    "pass --dtype float32",
                )
            )
        folder, options = _place(name)
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **options)
            config = transformers.AutoConfig.from_pretrained(folder, **options)
        except (OSError, ValueError) as error:
            raise OptionError(
                describe(
                    f"{name} cannot be loaded: {' '.join(str(error).split())[:200]}",
                    "expected a folder, an id or a .gguf file of a language model",
                    "correct --model hf:...",
                )
            ) from None
        return cls(name, ChatTokenizer(tokenizer, Path(name).name), config, dtype=dtype)

    async def answer(self, request: Request) -> Reply:
        """Answer greedily; a prompt that does not fit is not cut but refused."""
        ids = self._chat.encode(request.prompt.messages)
        window = self.window
        if window is not None and len(ids) + request.max_output_tokens > window:
            room = window - request.max_output_tokens
            return Reply(
                status="context_exceeded",
                error=f"{len(ids)} tokens, and {room} fit before the answer",
                tokens_received=None,
            )
        return self._generate(ids, request.max_output_tokens)

    @property
    def window(self) -> int | None:
        """Tokens of prompt and answer together, as far as the settings say."""
        values = (getattr(self._config, name, None) for name in _LIMITS)
        return next((int(value) for value in values if value), None)

    def _generate(self, ids: list[int], max_output_tokens: int) -> Reply:
        torch = load_extra("torch", extra="hf", purpose="answering")
        started = time.monotonic()
        try:
            if self._loaded is None:
                self._loaded = self._load_weights()
                started = time.monotonic()
            prompt = torch.tensor([ids], device=self._loaded.device)
            with torch.inference_mode():
                output = self._loaded.generate(
                    prompt,
                    attention_mask=torch.ones_like(prompt),
                    **self.decoding(max_output_tokens),
                )
        except (MemoryError, RuntimeError) as error:
            if not _is_memory(error):
                raise
            return Reply(status="error", error="out of memory")
        new = output[0, len(ids) :].tolist()
        return self._reply(new, max_output_tokens, len(ids), time.monotonic() - started)

    def _reply(
        self, new: list[int], max_output_tokens: int, n_prompt: int, seconds: float
    ) -> Reply:
        tokenizer = self._chat.underlying
        ends = self._loaded.generation_config.eos_token_id
        stops = set(ends if isinstance(ends, list) else [ends]) | {tokenizer.eos_token_id}
        is_cut = len(new) >= max_output_tokens and new[-1] not in stops
        return Reply(
            status="ok",
            output=tokenizer.decode(new, skip_special_tokens=True),
            finish_reason="length" if is_cut else "stop",
            tokens_received=n_prompt,
            output_tokens=len(new),
            latency_s=seconds,
        )

    def _load_weights(self) -> Any:
        transformers = load_extra("transformers", extra="hf", purpose="answering")
        folder, options = _place(self._name)
        loaded = transformers.AutoModelForCausalLM.from_pretrained(
            folder, dtype=self._dtype, **options
        )
        loaded.eval()
        # What a folder says of sampling does not apply to greedy answers, and would warn.
        loaded.generation_config.update(temperature=None, top_p=None, top_k=None)
        return loaded

    async def close(self) -> None:
        """Nothing is open; the weights stay for a further run."""

    def decoding(self, max_output_tokens: int) -> dict[str, Any]:
        """Return what ``generate`` is told: greedy answers."""
        return {"max_new_tokens": max_output_tokens, "do_sample": False}

    def describe(self) -> dict[str, Any]:
        """Return name, and the settings that decide on long prompts."""
        settings = {name: getattr(self._config, name, None) for name in POSITIONS}
        return {
            "backend": "hf",
            "model": self.model,
            "dtype": self._dtype,
            "positions": {name: _plain(v) for name, v in settings.items() if v is not None},
        }


def _place(name: str) -> tuple[str, dict[str, str]]:
    """Return folder or id, and which file of it where that is to be said."""
    if not name.endswith(GGUF):
        return name, {}
    path = Path(name)
    return str(path.parent), {"gguf_file": path.name}


def _is_memory(error: BaseException) -> bool:
    return (
        isinstance(error, MemoryError)
        or "out of memory" in str(error).lower()
        or ("can't allocate memory" in str(error).lower())
    )


def _plain(value: Any) -> Any:
    """Return a setting as JSON can hold it."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return value if isinstance(value, int | float | str | bool) else str(value)
