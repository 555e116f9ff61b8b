import type { Rpc } from "#core/chain/rpc/Rpc.ts";

/** One member of what a method answers; no path: the whole answer. */
export type Member = { method: string; path: readonly string[] };
export type Lie = Member & { value: unknown };

/** An endpoint that answers something else in place of one member, for as long as it lies. */
export function lyingEndpoint(honest: Rpc, lie: () => Lie | null): Rpc {
	const told = (method: string | undefined, answer: unknown) => {
		const now = lie();
		return now && method === now.method ? withMember(answer, now.path, now.value) : answer;
	};
	return {
		...honest,
		call: async (call, options) => told(call.method, await honest.call(call, options)),
		async batch(calls, options) {
			const answers = await honest.batch(calls, options);
			return answers.map((answer, place) => told(calls[place]?.method, answer));
		},
		async settle(calls, options) {
			const outcomes = await honest.settle(calls, options);
			return outcomes.map((outcome, place) => {
				if (outcome.kind === "fault") return outcome;
				return { kind: "result", result: told(calls[place]?.method, outcome.result) };
			});
		},
	};
}

/** Where numbers stand in an answer: what is written as a quantity, and is no word of bytes. */
export function numbersIn(method: string, answer: unknown, path: string[] = []): Member[] {
	if (typeof answer === "string") {
		return /^0x[0-9a-f]{1,24}$/.test(answer) && !BYTES.has(path.at(-1) ?? "")
			? [{ method, path }]
			: [];
	}
	if (typeof answer !== "object" || answer === null) return [];
	return Object.entries(answer).flatMap(([name, inner]) => {
		return numbersIn(method, inner, [...path, name]);
	});
}

const BYTES = new Set(["input", "data", "type"]);

function withMember(answer: unknown, path: readonly string[], value: unknown): unknown {
	const [name, ...rest] = path;
	if (name === undefined) return value;
	if (typeof answer !== "object" || answer === null) return answer;
	if (Array.isArray(answer)) {
		return answer.map((one, place) => {
			return String(place) === name ? withMember(one, rest, value) : one;
		});
	}
	return { ...answer, [name]: withMember(Reflect.get(answer, name), rest, value) };
}
