"""The registry: names are unique, no two formats claim a file, each says what it can carry."""

import itertools
import json

import pytest

from lcstats.errors import OptionError
from lcstats.readers import FORMATS, list_formats
from lcstats.readers.registry import find_format, get_format
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import look_at
from lcstats.readers.sources import Source

V1 = {"context_length": 1000, "depth_percent": 0, "score": 1, "needle": "n"}
LISTED = {"token_limit": 1000, "depth_percent": 0, "score": 1}
V2 = {
    "schema_version": 2,
    "task_type": "single",
    "context_length": 1000,
    "target_depth_percent": 0.0,
    "recipe": {},
    "score": None,
}
NEEDLES = (
    "run name,run_url,context size,needle,insertion %,retrieved_needles_check,total_needles,"
    "retrieved_needles\n"
)
RUNS = (
    "run_name,run_url,depth %,context length,retrieved needles,model name,total needles,answer,"
    "needles,insertion_percentages,fract per turn\n"
)
ROUND = {"context_length": 1000, "answer": "7", "response": "", "correct": True, "seed": 0}
ANSWERED = {"question": "q", "answers": [], "model_documents": [], "model_answer": ""}
RETRIEVED = {"key": "k", "value": "v", "model_ordered_kv_records": [], "model_answer": ""}
ROT = "token_count,approximate_input_length,needle_depth,question,answer,output"
LINE = "Label: 7, Predict: it is 7, Parsed: 7, prompt length: 4800\n"
TOPIC = "Label: Rome, Predict: ['Rome'], prompt length: 6472\n"
STACK = {"model_name": "m", "location_list": [], "number_of_trials_per_location": 5}
CELL = {"score": 0.0, "details": [{"pred": "", "answer": "", "score": 0}]}
PARALLEL = {"Depth0": 0.0, "details": [], "average_score": 0.0}
ZH = dict.fromkeys(("context_length_chars", "needle_position", "needle_id", "trial"), 1)
SMALL = {"timestamp": "", "config": {}, "models": {"m": {"raw_results": []}}}
FOUND = {"position": 0.1, "trial": 0, "passcode": "A", "prediction": "A", "correct": True}
FOUND_V1 = {"detailed_results": [FOUND | {"context_length": 16186}]}
FOUND_V2 = {"detailed_results": [FOUND | {"context_length_k": 8, "prompt_tokens": 7900}]}
RULED = {"index": 0, "pred": "", "input": "", "outputs": ["7"], "others": {}, "length": 4001}
PROMPT = {"index": 0, "input": "", "outputs": ["7"], "length": 4001}
SUMMARY = "0,1,2\nTasks,vt,avg\nScore,76.67,76.67\nNulls,0/10,\n"
NEMO = {"index": 0, "generation": "", "expected_answer": ["7"], "length": 4001}
LOG = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": []}
BENCHED = {"pred": "", "answers": [""], "all_classes": None, "length": 8616}
CHOSEN = dict.fromkeys(("_id", "difficulty", "length", "choice_A", "answer", "pred", "judge"), "A")
LOGGED = {"doc_id": 0, "doc": {"max_length": 512}, "resps": [], "filtered_resps": [], "512": 1.0}
AVERAGED = {"results": {}, "configs": {}, "versions": {}, "n-shot": {}}
ASKED = dict.fromkeys(("prompt", "n_needles", "desired_msg_index", "total_messages"), 2)
REVIEWED = {"index": 0, "target": "D", "messages": [], "sample_score": {"score": {"value": {}}}}
UNREVIEWED = {"index": 0, "model": "m", "model_output": {}, "messages": []}
NEEDLED = dict.fromkeys(
    ("test_name", "model_name", "context_length", "needle", "haystack_path", "metric"), "n"
)
HELMED = {"args": {}, "data": [], "metrics": {}, "averaged_metrics": {}, "throughput": 1.0}
MEANS = {"exact_match": 50.0, "input_len": 125000.0, "output_len": 3.0}
CLAIMED = dict.fromkeys(("book_title", "claim", "type", "index", "length", "response-x"), "1")
PADDED = dict.fromkeys(("response", "dataset", "dispersion", "padding_type", "ctx_size"), "1")
GATED = {"pred": "", "answers": [], "gold_ans": None, "input": "", "all_classes": None, "length": 9}
LINE_OF_LOFT = {"qid": "a", "turn_id": "0", "em": 1.0}
STARS = {"context_size": 3280, "reference_counting_results": [3], "answer": ""}
TESTED = dict.fromkeys(("vars", "success", "score", "provider", "testIdx", "gradingResult"), 1)
SPECIFIED = {"spec": {"eval_name": "niah.test.v1", "run_id": "a", "completion_fns": ["m"]}}
EVENT = {"run_id": "a", "event_id": 0, "sample_id": "b", "type": "match", "data": {}}
EXAMINED = {"query": "q", "gt": "A", "prompt": "p", "gpt-x_pred": "A", "evaluation": "exam"}
OWN = dict.fromkeys(("model", "task", "case", "repeat", "length", "depth", "score", "status"), 1)

SAMPLES = {
    "lcstats": [json.dumps(OWN), ",".join(OWN) + "\n"],
    "kamradt_v1": [json.dumps(V1), json.dumps(V1, indent=2)],
    "kamradt_rouge": [json.dumps(V1 | {"score": score}) for score in (9.5, 10.0, 0.0, 76)],
    "kamradt_list": [json.dumps([LISTED])],
    "kamradt_v2": [json.dumps(V2), f"{json.dumps(V2)}\n{json.dumps(V2)}\n"],
    "langsmith_needles": [NEEDLES],
    "langsmith_runs": [RUNS],
    "lwm_needle": [json.dumps([ROUND | {"depth_percent": 0.0}])],
    "lwm_needles": [json.dumps([ROUND | {"needles_info": {}, "answer": [], "correct": []}])],
    "litm_qa": [json.dumps(ANSWERED), f"{json.dumps(ANSWERED)}\n{json.dumps(ANSWERED)}\n"],
    "litm_kv": [json.dumps(RETRIEVED)],
    "context_rot": [f"{ROT}\n", f"{ROT},llm_judge_output\n"],
    "litm_scores": ["position,metric\n", "position,fold,metric\n"],
    "longeval": [LINE, TOPIC],
    "longalign": [json.dumps({"OpenAI_len_1000_depth_0": {"prediction": "", "score": None}})],
    "wide_heatmap": [",1000,2000\n", "Document Depth;4K;128K\n", "model,2048,4096,8192\n"],
    "needlestack": [json.dumps(STACK), json.dumps(STACK, indent=4)],
    "opencompass": [json.dumps(CELL), json.dumps(CELL, indent=4), json.dumps(PARALLEL)],
    "context_rot_zh": [json.dumps(ZH | {"evaluation": {}})],
    "small_llms": [json.dumps(SMALL), json.dumps(SMALL, indent=2)],
    "stackai_v1": [json.dumps(FOUND_V1), json.dumps(FOUND_V1, indent=2)],
    "stackai_v2": [json.dumps(FOUND_V2), json.dumps(FOUND_V2, indent=2)],
    "ruler": [json.dumps(RULED), json.dumps(PROMPT), SUMMARY, "Task,ID,Prediction\n"],
    "nemo_ruler": [json.dumps(NEMO), json.dumps(NEMO | {"is_correct": 0.5})],
    "babilong": [",target,output,question\n", "Unnamed: 0,target,output,question,result\n"],
    "inspect": [json.dumps(LOG), json.dumps(LOG, indent=2)],
    "inspect_frame": ["sample_id,eval_id,log,id,epoch,score_judge\n"],
    "longbench_v1": [json.dumps(BENCHED)],
    "longbench_v2": [json.dumps(CHOSEN)],
    "lm_eval": [json.dumps(LOGGED), json.dumps(AVERAGED, indent=2)],
    "infinitebench": [
        json.dumps({"id": 0, "prediction": "", "ground_truth": "7"}),
        json.dumps({"id": 0, "pred": "", "label": ["7", "A"]}),
    ],
    "mrcr": [json.dumps(ASKED), ",".join(ASKED) + "\n", "n_needles,bin,score\n"],
    "evalscope": [json.dumps(REVIEWED), f"{json.dumps(REVIEWED)}\n" * 2, json.dumps(UNREVIEWED)],
    "promptfoo": [
        json.dumps(TESTED),
        f"{json.dumps(TESTED)}\n" * 2,
        json.dumps({"evalId": "e", "results": {"version": 3, "results": [TESTED]}}, indent=2),
        json.dumps({"results": [TESTED]}),
    ],
    "openai_evals": [
        json.dumps(SPECIFIED),
        f"{json.dumps(SPECIFIED)}\n{json.dumps(EVENT)}\n",
        json.dumps(EVENT),
    ],
    "nolima": [json.dumps(NEEDLED | {"results": [{"metric": 1}]}, indent=4)],
    "helmet": [json.dumps(HELMED, indent=4), json.dumps(MEANS, indent=4)],
    "nocha": [json.dumps([CLAIMED]), json.dumps([CLAIMED], indent=4)],
    "flenqa": [json.dumps([PADDED]), json.dumps(PADDED), "," + ",".join(PADDED) + "\n"],
    "lv_eval": [json.dumps(GATED), f"{json.dumps(GATED)}\n" * 2],
    "leval": [json.dumps(EXAMINED), f"{json.dumps(EXAMINED)}\n" * 2],
    "loft": [
        json.dumps(LINE_OF_LOFT),
        json.dumps({"qid": "a", "num_turns": 1, "model_outputs": []}),
    ],
    "counting_stars": [json.dumps(STARS), f"{json.dumps(STARS)}\n" * 2],
    "counts": ["length,n,k\n", json.dumps([{"length": 1, "n": 2, "k": 1}])],
    "csv": ["Context Length;score\n", "model\ttoken limit\tcorrect\n"],
    "jsonl": [json.dumps(LISTED), json.dumps({"length": 1, "score": 1}) * 2],
    "json": [json.dumps([{"ctx_len": 1, "acc": 1}])],
}
CASES = [(name, text) for name, texts in SAMPLES.items() for text in texts]


def claims(text):
    sample = look_at(Source("a", "a", text.encode()), ReadRequest())
    return [format for format in FORMATS if format.claims(sample, {})], sample


@pytest.mark.parametrize(("name", "text"), CASES)
def test_every_sample_is_found(name, text):
    assert find_format(claims(text)[1], {}).name == name


@pytest.mark.parametrize(("name", "text"), CASES)
def test_no_two_formats_of_one_rank_claim_a_sample(name, text):
    claiming, _ = claims(text)
    by_rank = itertools.groupby(
        sorted(claiming, key=lambda format: format.is_generic), lambda format: format.is_generic
    )
    assert all(len(list(formats)) == 1 for _, formats in by_rank)


def test_every_format_but_those_of_parquet_has_a_sample():
    assert {format.name for format in FORMATS} - set(SAMPLES) == {"parquet", "lighteval"}


def test_a_file_of_something_else_is_not_claimed():
    assert claims("name,age\n")[0] == []
    assert claims('{"name": 1}')[0] == []


def test_names_are_unique_and_everything_is_said():
    names = [format.name for format in list_formats()]
    assert len(set(names)) == len(names)
    for format in list_formats():
        assert all(format.to_dict().values())
        assert set(format.to_dict()) == {"name", "title", "carries", "lacks", "checked"}


def test_an_unknown_format_suggests_one():
    with pytest.raises(OptionError, match=r"expected auto or one of .*--format kamradt_v1"):
        get_format("kamrad_v1")
