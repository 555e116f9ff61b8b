import { type Rpc, type RpcCall, type RpcOptions, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";

export type Mood = "answers" | "hangs" | "is away";

/** Changes what an endpoint answers, call by call. */
export type Answering = (call: RpcCall, answer: unknown) => unknown;

/** An endpoint that answers as another one does, but for what is changed. */
export function changedEndpoint(honest: Rpc, change: Answering): Rpc {
	return {
		...honest,
		call: async (call, options) => change(call, await honest.call(call, options)),
		async batch(calls, options) {
			const answers = await honest.batch(calls, options);
			return answers.map((answer, place) => change(calls[place] as RpcCall, answer));
		},
		async settle(calls, options) {
			const outcomes = await honest.settle(calls, options);
			return outcomes.map((outcome, place) => {
				if (outcome.kind === "fault") return outcome;
				return { kind: "result", result: change(calls[place] as RpcCall, outcome.result) };
			});
		},
	};
}

/**
 * Puts two endpoints together as a pool does: the first answers until it is silent or distrusted, a
 * second opinion is asked of who was not heard.
 */
export function twoEndpoints(first: Rpc, second: Rpc) {
	const moods: Record<string, Mood> = { first: "answers", second: "answers" };
	const distrusted: string[] = [];
	const asked: string[] = [];
	let served = "first";
	const all = [
		{ name: "first", rpc: first },
		{ name: "second", rpc: second },
	];
	async function inTurn<Answer>(
		options: RpcOptions | undefined,
		put: (rpc: Rpc) => Promise<Answer>,
	): Promise<Answer> {
		const ranked = all.toSorted((one, other) => {
			return Number(distrusted.includes(one.name)) - Number(distrusted.includes(other.name));
		});
		const heard = options?.heard ?? new Set([served]);
		const isHeard = ({ name }: { name: string }) => options?.second === true && heard.has(name);
		const order = [...ranked.filter((one) => !isHeard(one)), ...ranked.filter(isHeard)];
		for (const { name, rpc } of order) {
			asked.push(name);
			if (moods[name] === "is away") continue;
			if (moods[name] === "hangs") await untilAborted(options?.signal);
			try {
				const answer = await put(rpc);
				served = name;
				options?.heard?.add(name);
				return answer;
			} catch (error) {
				if (!(error instanceof Fault) || error.code !== "rpc_transport") throw error;
			}
		}
		throw rpcFault.transport({ detail: "nobody answers" });
	}
	const rpc: Rpc = {
		...first,
		call: (call, options) => inTurn(options, (one) => one.call(call, options)),
		batch: (calls, options) => inTurn(options, (one) => one.batch(calls, options)),
		settle: (calls, options) => inTurn(options, (one) => one.settle(calls, options)),
		distrust(kind, heard = new Set([served])) {
			if (kind === "false_count") distrusted.push(...heard);
		},
	};
	return { rpc, moods, distrusted, asked };
}

async function untilAborted(signal: AbortSignal | undefined): Promise<never> {
	const { promise, reject } = Promise.withResolvers<never>();
	if (signal?.aborted) throw signal.reason;
	signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
	return await promise;
}
