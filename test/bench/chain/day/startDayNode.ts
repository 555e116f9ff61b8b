import { join } from "node:path";
import type { DayChain } from "#test/bench/chain/day/answerDay.ts";
import type { Node } from "#test/bench/chain/model.ts";

/** Starts a node of a day chain with the block `head` as its newest. */
export async function startDayNode(chain: DayChain, head = chain.blocks): Promise<Node> {
	const script = join(import.meta.dir, "dayNode.ts");
	const child = Bun.spawn([process.execPath, script, JSON.stringify(chain), String(head)], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "inherit",
	});
	const port = await firstLine(child.stdout);
	const url = `http://127.0.0.1:${port}`;
	const post = async <Answer>(body: unknown): Promise<Answer> => {
		const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
		return (await response.json()) as Answer;
	};
	return {
		pid: child.pid,
		url,
		wsUrl: url.replace("http", "ws"),
		async call<Result>(method: string, params: readonly unknown[] = []) {
			const answer = await post<{ result?: Result; error?: { message: string } }>({
				...{ jsonrpc: "2.0", id: 1, method, params },
			});
			if (answer.error) throw new Error(`the day's node refused: ${answer.error.message}`);
			return answer.result as Result;
		},
		async batch(calls) {
			await post(calls.map((call, id) => ({ jsonrpc: "2.0", id, ...call })));
		},
		async stop() {
			child.kill("SIGKILL");
			await child.exited;
		},
	};
}

async function firstLine(output: ReadableStream<Uint8Array>): Promise<string> {
	let text = "";
	for await (const chunk of output) {
		text += new TextDecoder().decode(chunk);
		const end = text.indexOf("\n");
		if (end >= 0) return text.slice(0, end);
	}
	throw new Error("the day's node ended before it said its port");
}
