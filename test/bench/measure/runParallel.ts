import { Client } from "pg";
import { z } from "zod";
import type { Owner, Trading } from "#test/bench/measure/openTrading.ts";

export type Parallel = {
	/** From the first request's start until the database showed all of them `submitted`. */
	delaysMs: readonly number[];
	/** All that were sent, for the books. */
	done: number;
};

export const PARALLEL_AT_ONCE = 10;
export const PARALLEL_TURNS = 10;
/** Not counted: statements of a whole batch are planned anew until a connection knows them. */
const WARM_TURNS = 2;
/** Far from all accounts with a key, and from the load's recipients. */
const RECIPIENTS_FROM = 0xbf00_0000_0000n;
const LOOK_EVERY_MS = 5;
const SUBMITTED_TIMEOUT_MS = 20_000;
const answerSchema = z.object({ transfers: z.tuple([z.object({ id: z.string() })]) });

/** Has one wallet send ten transfers at once by requests of their own; each turn another wallet. */
export async function runParallel(
	{ connectionString, service, owners }: Trading,
	amount: string,
): Promise<Parallel> {
	const client = new Client({ connectionString });
	await client.connect();
	const delaysMs: number[] = [];
	let done = 0;
	const turns = WARM_TURNS + PARALLEL_TURNS;
	try {
		for (const owner of owners.slice(0, turns)) {
			const beganMs = performance.now();
			const asked = Array.from({ length: PARALLEL_AT_ONCE }, () => {
				return pay(service.url, { owner, amount, recipient: RECIPIENTS_FROM + BigInt(done++) });
			});
			const ids = await Promise.race([Promise.all(asked), service.failed]);
			await untilSubmitted(client, ids);
			delaysMs.push(performance.now() - beganMs);
		}
	} finally {
		await client.end();
	}
	return { delaysMs: delaysMs.slice(WARM_TURNS), done };
}

async function pay(
	url: string,
	{ owner, amount, recipient }: { owner: Owner; amount: string; recipient: bigint },
): Promise<string> {
	const response = await fetch(`${url}/v1/trading/wallet-transfers`, {
		method: "POST",
		headers: {
			authorization: `Bearer ${owner.session}`,
			"content-type": "application/json",
			"idempotency-key": crypto.randomUUID(),
			"x-forwarded-for": "10.8.0.1",
		},
		body: JSON.stringify({
			fromWalletId: owner.walletId,
			recipients: [`0x${recipient.toString(16).padStart(40, "0")}`],
			amount,
		}),
	});
	const text = await response.text();
	const answer = answerSchema.safeParse(JSON.parse(text));
	if (!answer.success) throw new Error(`${response.status}: ${text}`);
	return answer.data.transfers[0].id;
}

async function untilSubmitted(client: Client, ids: readonly string[]): Promise<void> {
	const deadlineMs = performance.now() + SUBMITTED_TIMEOUT_MS;
	for (;;) {
		const { rows } = await client.query<{ left: number }>(
			`select count(*)::int as left from wallets.intent
			where id = any($1::uuid[]) and status not in ('submitted', 'confirmed')`,
			[ids],
		);
		if (rows[0]?.left === 0) return;
		if (performance.now() > deadlineMs) throw new Error(`${rows[0]?.left} were not submitted`);
		await Bun.sleep(LOOK_EVERY_MS);
	}
}
