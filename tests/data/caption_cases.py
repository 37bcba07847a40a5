"""List files with values that are easily misread, each with its finding."""

from __future__ import annotations

from tests.data.finding_cases import REFERENCES, Case, item, js, zipped

REFUSED = "I'm sorry, but I can't help with that."
EVENTS = [
    {"spec": {"eval_name": "captions"}},
    *({"sample_id": k, "type": "sampling", "data": {"sampled": ["a dog runs"]}} for k in "ab"),
    *({"sample_id": k, "type": "match", "data": {"sampled": "a dog runs", "expected": ["one", "two"]}} for k in "ab"),
]
FILM = [{"segment": [k, k + 1], "sentence": text} for k, text in enumerate(("a dog runs", "a cat sits"))]
VALUES: dict[str, Case] = {
    "facts_of_others": Case(
        [("x.csv", b"image,split\n7,test\n"), REFERENCES, ("m.json", js({"1": "a", "2": "b"}))],
        "The file has no captions, and nothing in it is about an item of the other files: it was not used.",
        file="x.csv",
        items=2,
    ),
    "folder_of_people": Case(
        [("x.zip", zipped(**{"references/x.json": js({"1": ["a", "b"]}), "m/y.json": js({"1": ["c", "d"]})}))],
        "Captions in the folder references were read as people's.",
        file="x.zip/references/x.json",
        items=1,
    ),
    "counted_from_zero": Case(
        [("gen.txt", b"T-0\tA dog runs.\nH-0\t-0.1\tA dog.\nT-1\tA cat.\nH-1\t-0.2\tA red cat.\n")],
        "Its sentences are counted from 0; here they are counted from 1, as lines are.",
        file="gen.txt",
        items=2,
    ),
    "first_is_run": Case(
        [("x.tsv", b"a dog runs\ta brown dog\tone dog\na cat sits\ta grey cat\tone cat\n")],
        "The table has no header: only the order of its columns says that column 1 is a run's and 2, 3 are people's.",
        file="x.tsv",
        items=2,
    ),
    "titles_as_runs": Case(
        [("x.csv", b"id,caption\nBLIP,\n1,A dog runs.\n2,A cat.\nGIT,\n1,A dog.\n2,One cat.\n"), REFERENCES],
        "Titles stand above blocks of rows or lines about the same items; each was read as the run of its block: "
        "`BLIP`, `GIT`.",
        file="x.csv",
        items=2,
    ),
    "totals_below": Case(
        [("x.csv", b"id,caption,length\n1,A dog runs.,2\n2,A cat.,4\nMEAN,,3\n")],
        "Below the table, a row has MEAN in place of its id: it holds totals and was not read as an item.",
        record="line 4",
        file="x.csv",
        items=2,
    ),
    "filled_down": Case(
        [("x.csv", b"id,reference\n1,a dog\n,one dog\n2,a cat\n,one cat\n")],
        "Only the first row of a block has a value in `id`, as below merged cells.",
        record="line 3; line 5",
        id="1; 2",
        count=2,
        fix="fill_down",
        file="x.csv",
        items=2,
    ),
    "odd_list": Case(
        [("x.csv", b"id,caption,reference\n1,a dog,\"['one', 'two' ... 'nine']\"\n")],
        "A reference begins and ends as a list does, but cannot be read as one; it counts as one caption.",
        record="line 2",
        id="1",
        file="x.csv",
        items=1,
    ),
    "tabs_in_lines": Case(
        [("x.txt", b"noun\ta dog\nverb\truns\nnoun\ta cat\n")],
        "Lines of the text contain tabs, which were read as part of the caption.",
        record="line 1; line 2; line 3",
        count=3,
        file="x.txt",
        items=3,
    ),
    "bare_lists": Case(
        [("x.csv", b'id,caption\n1,"[a dog runs, one dog runs]"\n2,"[a cat naps, one cat naps]"\n')],
        "Cells of `caption` were read as lists, with commas between the texts.",
        file="x.csv",
        items=2,
    ),
    "pairs_of_runs": Case(
        [
            (
                "x.csv",
                b"code,sum1,sys1,sum2,sys2\n"
                b"7#x#y,a dog,x,one dog,y\n7#y#z,one dog,y,the dog,z\n7#x#z,a dog,x,the dog,z\n"
                b"8#x#y,a cat,x,one cat,y\n8#y#z,one cat,y,the cat,z\n8#x#z,a cat,x,the cat,z\n",
            )
        ],
        "Each record has a pair of runs, which repeat their captions: the first part, `7`, of codes such as `7#x#y` "
        "was read as the id.",
        file="x.csv",
        items=2,
    ),
    "shared_cells": Case(
        [
            ("blip.test", b"a dog runs\ta glad dog runs\t0\na cat sits\ta sly cat\t0\na hen eats\ta fat hen\t1\n"),
            ("ref.test", b"a dog runs\tthe merry dog\na cat sits\tthe cunning cat\na hen eats\tthe hen dines\n"),
        ],
        "The first cell of each line, such as `a dog runs`, is the same in another file: the texts were made from it, "
        "and only the second cell was read.",
        file="blip.test",
        items=3,
    ),
    "sentences_listed": Case(
        [
            (
                "x.json",
                js(
                    [
                        {"id": k, "summary": texts}
                        for k, texts in enumerate(
                            (["A storm hit.", "Schools shut.", "Two died."], ["It rained.", "Roads froze."])
                        )
                    ]
                ),
            )
        ],
        "Captions of run x of one item differ in number, and have hardly any words in common: they may be the "
        "sentences of one text, stored as a list.",
        fix="join_sentences",
        items=2,
    ),
    "numbered_columns": Case(
        [
            (
                "x.csv",
                b"id,reference,v1,v2\n1,a dog runs,a dog runs off,the dog runs\n2,two cats sit,cats sit,a cat sits\n",
            )
        ],
        "Columns that differ only in a number, v1, v2, were read as captions of one run.",
        file="x.csv",
        items=2,
    ),
    "numbers_alone": Case(
        [("x.txt", b"12.3\n0\n41.25\n")],
        "All captions are numbers, such as `12.3`; these seem to be scores.",
        file="x.txt",
        items=None,
    ),
    "ids_by_field": Case(
        [
            ("x.json", js([{"scene": one, "output": f"{one} is here"} for one in ("a dog", "a cat")])),
            ("y.json", js([{"scene": one, "output": f"{one} is there"} for one in ("a cat", "a dog")])),
        ],
        "The file shares no id with x.json; records with the same `scene` were read as the same items.",
        file="y.json",
        items=2,
    ),
    "withdrawn": Case(
        [("x.json", js({"annotations": [{"image_id": 1, "caption": c, "is_rejected": c == "b"} for c in "abc"]}))],
        "A caption or judgment of a person is marked `is_rejected`: it does not count.",
        record="record 2",
        id="1",
        items=1,
    ),
    "events_joined": Case(
        [("x.jsonl", b"\n".join(js(row) for row in EVENTS))],
        "The events of one sample were read as one record: sampling, match; 1 other records belong to no sample.",
        file="x.jsonl",
        items=2,
    ),
    "captions_joined": Case(
        [("x.csv", b"id,prediction,reference\n1,a,b\n1,a,c\n2,d,e\n2,d,f\n2,g,e\n2,g,f\n")],
        "A caption by a run is repeated for each reference of its item, as in joined tables.",
        record="line 2; line 4",
        id="1; 2",
        count=3,
        file="x.csv",
        items=2,
    ),
    "captions_split": Case(
        [("x.json", js([item(str(k), {"m": [f"a brown dog runs ||| the brown dog has run {k}"]}) for k in range(3)]))],
        "Most texts of run m hold several captions, separated by |||.",
        fix="split_captions",
        items=3,
    ),
    "references_left": Case(
        [("x.csv", b"id,caption,ref_ann,gold_bob\n1,a dog,a red dog,the dog sits\n2,a cat,a red cat,the cat sits\n")],
        "The names of gold_bob suggest captions by people, too; only ref_ann was read as references.",
        file="x.csv",
        items=2,
    ),
    "several_in_one": Case(
        [("x.json", js([item(str(k), {"m": [f"a dog runs ||| cups stand there {k}"]}) for k in range(3)]))],
        "Most captions of run m may hold several captions, separated by `|||`; each was read as one.",
        items=3,
    ),
    "references_repeated": Case(
        [("x.csv", b"id,caption,ref 1,ref 2\n1,a dog,one,two\n1,a cat,one,two\n1,a cow,,two\n")],
        "References are repeated within their item, as when every row lists them again.",
        record="line 3; line 4",
        id="1",
        count=3,
        file="x.csv",
        items=1,
    ),
    "thoughts": Case(
        [("x.json", js([item("1", {"m": ["<think>Hm.</think>a dog", "b"]})]))],
        "A caption holds a model's thoughts (`<think>`), which count as its words.",
        record="record 1",
        id="1",
        fix="drop_thoughts",
        items=1,
    ),
    "special_tokens": Case(
        [("x.json", js([item("1", {"m": ["<start> a dog <end>", "b"]})]))],
        "A caption holds special tokens or the template of a model, such as `<end>`, `<unk>` or `ASSISTANT:`, which ",
        record="record 1",
        id="1",
        fix="drop_tokens",
        items=1,
    ),
    "wrapped": Case(
        [("x.json", js([item("1", {"m": ['{"caption": "a dog"}', "b"]})]))],
        "A caption is wrapped in JSON, markdown, HTML entities (`&amp;`) or talk (`Here is a caption:`), which ",
        record="record 1",
        id="1",
        fix="unwrap",
        items=1,
    ),
    "prompt_repeated": Case(
        [("x.json", js([item(str(k), {"m": [f"Describe this image briefly. a dog {k}"]}) for k in range(4)]))],
        "Most captions of run m begin with the same words, Describe this image briefly., as when a prompt is ",
        record="record 1; record 2; record 3; …",
        id="0; 1; 2; …",
        count=4,
        fix="unwrap",
        items=4,
    ),
    "null_text": Case(
        [("x.json", js([item("1", {"m": ["nan", "b"]})]))],
        "A caption of run m is the text nan, which programs write for missing values.",
        record="record 1",
        id="1",
        fix="drop_non_captions",
        items=1,
    ),
    "refusal": Case(
        [("x.json", js([item(str(k), {"m": [REFUSED if k % 7 == 0 else f"dog {k}", "b"]}) for k in range(28)]))],
        "A caption of run m is a refusal or an error message.",
        record="record 1; record 8; record 15; …",
        id="0; 7; 14; …",
        count=4,
        fix="drop_non_captions",
        items=28,
    ),
    "id_as_caption": Case(
        [("x.json", js([item("dogs/17.jpg", {"m": ["17", "b"]})]))],
        "A caption of run m equals the id of its item.",
        record="record 1",
        id="dogs/17.jpg",
        fix="drop_non_captions",
        items=1,
    ),
    "no_blanks": Case(
        [("x.json", js([item("1", {"m": ["一只狗在湿沙滩上跑", "一只 狗 在 湿 沙滩 上 跑"]})]))],
        "A caption of run m has no spaces between words: BLEU, CIDEr-D, ROUGE-L and other metrics see one word.",
        record="record 1",
        id="1",
        fix="character_tokens",
        items=1,
    ),
    "no_parts": Case(
        [
            ("x.json", js({"database": {"v": {"annotations": FILM}, "w": {"annotations": "none"}}})),
            ("m_pred.json", js({"v_0": "a dog", "v_1": "a cat"})),
        ],
        "The record has no parts in `annotations`; the parts of other records are the items of another file.",
        record="record 2",
        id="w",
        file="x.json",
        items=2,
    ),
    "repeated_in_file": Case(
        [
            REFERENCES,
            ("m_rank0.json", js([{"image_id": "1", "caption": "A dog!"}])),
            ("m_rank1.json", js([{"image_id": k, "caption": "A dog!"} for k in ("3", "1")])),
        ],
        "Captions of run m occur word for word in m_rank0.json or a file beside it, too (padding of a distributed "
        "sampler?).",
        record="record 2",
        id="1",
        file="m_rank1.json",
        items=1,
    ),
    "repeated_records": Case(
        [REFERENCES, ("x.json", js([{"image_id": k, "caption": f"dog {k}"} for k in (1, 2, 1)]))],
        "Records of run x repeat id and caption word for word, while other items have fewer captions (padding of a ",
        record="record 1",
        id="1",
        fix="read_once",
        items=2,
    ),
    "runs_alike": Case(
        [("x.json", js([item("1", {"My model_T1": ["a", "b"]}), item("2", {"my-model_T1.0": ["a", "b"]})]))],
        "Are these the same run? Their names differ only in case, spaces, marks or the form of numbers, and they ",
        id="my-model_T1.0",
        fix="join_alike_runs",
    ),
    "runs_alike_beside": Case(
        [("x.json", js([item("1", {"My model": ["a", "b"], "my-model": ["a", "c"]})]))],
        "The names of these runs differ only in case, spaces, marks or the form of numbers, and they describe the ",
        id="my-model",
        items=1,
    ),
    "log_records": Case(
        [("x.txt", b'INFO id=1 caption="a dog runs"\nINFO id=2 caption="two cats sit"\nINFO done\n')],
        "2 of 3 lines hold fields among other text, as in a log: `id`, `caption`; the rest was not read.",
        file="x.txt",
        items=2,
    ),
    "messages_left": Case(
        [("x.jsonl", b"INFO start\n" + b"".join(js(item(k)) + b"\n" for k in "12"))],
        "Lines that are not JSON, such as `INFO start`, were left out: 1 of 3.",
        record="line 1",
        file="x.jsonl",
        items=2,
    ),
    "label_blocks": Case(
        [("x.txt", b"GT: a dog runs\nPred: the dog\n\nGT: two cats sit\nPred: cats\n")],
        "Blocks of lines that begin with labels were read as 2 records: `GT`, `Pred`.",
        file="x.txt",
        items=2,
    ),
    "log_lines": Case(
        [("x.txt", b"INFO: a dog runs\nINFO: two cats sit\n")],
        "The lines begin as those of a program's log do, such as `INFO: a dog runs`: all their words would be scored.",
        file="x.txt",
    ),
    "requests_joined": Case(
        [
            ("asked.jsonl", b"\n".join(js({"custom_id": k, "body": {"temperature": 0.5}}) for k in "12")),
            ("out.jsonl", b"\n".join(js({"custom_id": k, "pred": f"a dog {k}", "gt": ["a", k]}) for k in "12")),
        ],
        "Settings that asked.jsonl states for each answer were read: temperature.",
        file="out.jsonl",
        items=2,
    ),
    "requests_alone": Case(
        [
            ("x.jsonl", b"\n".join(js({"custom_id": k, "body": {"model": "m", "n": 2}}) for k in "12")),
            ("references.json", js({"1": ["a", "b"]})),
        ],
        "The file holds requests to a model, without its answers; no captions were read from it.",
        file="x.jsonl",
        items=1,
    ),
}
