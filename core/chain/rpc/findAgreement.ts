// Asks several endpoints until enough agree, and runs long lists in chunks.

import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import { isSilence } from "#core/chain/rpc/readAnswers.ts";

export type Agreement<Member, Answer> = {
	answer: Answer;
	agreed: readonly Member[];
	dissenting: readonly Member[];
};

type Voices<Member, Answer> = { answer: Answer; members: Member[] };

/**
 * Finds an answer that `size` of the members agree on. It asks as many at once as could decide it;
 * one more for each that is silent or differs. A member's refusal counts as the answer of all.
 *
 * If no `size` agree it throws a disagreement if two differed (`onConflict` gets them), else
 * silence.
 */
export async function findAgreement<Member, Answer>(options: {
	members: readonly Member[];
	size: number;
	ask(member: Member): Promise<Answer>;
	digest(answer: Answer): string;
	onConflict(members: readonly Member[]): void;
}): Promise<Agreement<Member, Answer>> {
	const { members, size, ask, digest } = options;
	const groups = new Map<string, Voices<Member, Answer>>();
	let silence: unknown = rpcFault.transport({ detail: "too few endpoints for a quorum" });
	for (let asked = 0; ; ) {
		const largest = largestOf(groups);
		const missing = size - (largest?.members.length ?? 0);
		if (largest && missing <= 0) {
			const dissenting = [...groups.values()].filter((group) => group !== largest);
			return {
				answer: largest.answer,
				agreed: largest.members,
				dissenting: dissenting.flatMap((group) => group.members),
			};
		}
		const next = members.slice(asked, asked + missing);
		if (next.length === 0) break;
		asked += next.length;
		const outcomes = await Promise.allSettled(next.map(ask));
		for (const [index, member] of next.entries()) {
			const outcome = outcomes[index];
			if (outcome?.status === "fulfilled") vote(groups, member, { outcome, digest });
			else if (!isSilence(outcome?.reason)) throw outcome?.reason;
			else silence = outcome?.reason;
		}
	}
	if (groups.size < 2) throw silence;
	options.onConflict([...groups.values()].flatMap((group) => group.members));
	throw rpcFault.disagreement({ detail: `${groups.size} different answers, ${size} alike wanted` });
}

/**
 * Runs a function over a long list in chunks of at most `batchMax`, at most `concurrencyMax` at
 * once. Returns answers in the order of the list; the first failure ends it, and no further chunk
 * begins.
 */
export async function runChunks<Item, Answer>(
	items: readonly Item[],
	limits: { batchMax: number; concurrencyMax: number },
	run: (chunk: readonly Item[]) => Promise<Answer[]>,
): Promise<Answer[]> {
	const chunks: Item[][] = [];
	for (let at = 0; at < items.length; at += limits.batchMax) {
		chunks.push(items.slice(at, at + limits.batchMax));
	}
	const answers: Answer[][] = Array.from({ length: chunks.length });
	let next = 0;
	const worker = async () => {
		for (let at = next++; at < chunks.length; at = next++) {
			answers[at] = await run(chunks[at] ?? []).catch((error) => {
				next = chunks.length;
				throw error;
			});
		}
	};
	const workers = Math.min(limits.concurrencyMax, chunks.length);
	await Promise.all(Array.from({ length: workers }, worker));
	return answers.flat();
}

function largestOf<Member, Answer>(groups: Map<string, Voices<Member, Answer>>) {
	let largest: Voices<Member, Answer> | undefined;
	for (const group of groups.values()) {
		if (group.members.length > (largest?.members.length ?? 0)) largest = group;
	}
	return largest;
}

function vote<Member, Answer>(
	groups: Map<string, Voices<Member, Answer>>,
	member: Member,
	{ outcome, digest }: { outcome: { value: Answer }; digest(answer: Answer): string },
) {
	const said = digest(outcome.value);
	const group = groups.get(said);
	if (group) group.members.push(member);
	else groups.set(said, { answer: outcome.value, members: [member] });
}
