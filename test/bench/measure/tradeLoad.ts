// Trades through the service, over HTTP, in a process of its own. Reads the traders as its first
// JSON line, `{ owners }`, then orders; prints the result of each. Argument: the service's URL.
import { createInterface } from "node:readline";
import { z } from "zod";
import { runTurn, turnOrder } from "#test/bench/measure/runTurn.ts";

const [url = ""] = process.argv.slice(2);
const ownersSchema = z.object({
	owners: z.array(z.object({ session: z.string(), walletId: z.string() })).min(1),
});
/** One at a time: so many rounds of each command; or many at a time, as in `runTurn`. */
const orderSchema = z.discriminatedUnion("kind", [
	z.object({ kind: z.literal("single"), command: z.string(), warm: z.int(), rounds: z.int() }),
	z.object({ kind: z.literal("crowd"), command: z.string(), turn: turnOrder }),
]);
const STARTED = new Set(["submitted", "waiting"]);

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { owners } = ownersSchema.parse(JSON.parse((await lines.next()).value));
let next = 0;

async function post(owner: number, path: string, body: unknown): Promise<any> {
	const by = owners[owner];
	if (!by) throw new Error("there are more at once than owners");
	const response = await fetch(`${url}/v1/trading/${path}`, {
		method: "POST",
		headers: {
			authorization: `Bearer ${by.session}`,
			"content-type": "application/json",
			"idempotency-key": crypto.randomUUID(),
			// Each owner is a client of their own, as in reality.
			"x-forwarded-for": `10.7.${owner >> 8}.${owner & 255}`,
		},
		body: JSON.stringify(body),
	});
	const text = await response.text();
	if (!response.ok) throw new Error(`${path}: ${response.status}: ${text}`);
	return JSON.parse(text);
}

/** Trades up to the hand-over of the first step: the allowance, or the swap. */
async function trade(owner: number, command: string): Promise<void> {
	const { status, errorCode } = await post(owner, "intents", { command });
	if (!STARTED.has(status)) throw new Error(`${command}: ${status} ${errorCode}`);
}

async function timed(act: () => Promise<unknown>): Promise<number> {
	const beganMs = performance.now();
	await act();
	return performance.now() - beganMs;
}

/** Times a quote, a trade, and a trade that is confirmed, by another owner each time. */
async function single({
	command,
	warm,
	rounds,
}: {
	command: string;
	warm: number;
	rounds: number;
}) {
	const told = { quoteMs: [] as number[], tradeMs: [] as number[], confirmMs: [] as number[] };
	for (let round = 0; round < warm + rounds; round++) {
		const owner = next++ % owners.length;
		const quoted = await timed(async () => {
			const { quotes, isPossible } = await post(owner, "quotes", { command });
			const isWhole = quotes.length === 2 && quotes.every(({ code }: any) => code === null);
			if (!isWhole || !isPossible) throw new Error(`${command}: ${JSON.stringify(quotes)}`);
		});
		const traded = await timed(() => trade(owner, command));
		const other = next++ % owners.length;
		await post(other, "profile", { requireTradeConfirmation: true });
		const { id, status } = await post(other, "intents", { command });
		if (!/confirmation_required|waiting/.test(status)) throw new Error(`asks nobody: ${status}`);
		const confirmed = await timed(() => post(other, `intents/${id}/confirm`, {}));
		await post(other, "profile", { requireTradeConfirmation: false });
		if (round < warm) continue;
		told.quoteMs.push(quoted);
		told.tradeMs.push(traded);
		told.confirmMs.push(confirmed);
	}
	return told;
}

for await (const line of lines) {
	const order = orderSchema.parse(JSON.parse(line));
	const told =
		order.kind === "single"
			? await single(order)
			: await runTurn(order.turn, (worker, turn) => {
					// A worker has wallets of its own: a wallet sends nothing before its last transfer was
					// handed over.
					const own = Math.floor(owners.length / order.turn.inFlight);
					return trade(worker + order.turn.inFlight * (turn % own), order.command);
				});
	process.stdout.write(`${JSON.stringify(told)}\n`);
}
