// Sends ETH from many wallets through the service, over HTTP, in a process of its own. Each request
// has a recipient that was never paid, and a key, as of a client that may have to repeat it. Reads
// the senders as its first JSON line, `{ owners }`, then orders of turns; prints the result of
// each. Arguments: the service's URL, each amount in ETH.
import { createInterface } from "node:readline";
import { z } from "zod";
import { runTurn, turnOrder } from "#test/bench/measure/runTurn.ts";

const [url = "", amount = ""] = process.argv.slice(2);
const ownersSchema = z.object({
	owners: z.array(z.object({ session: z.string(), walletId: z.string() })).min(1),
});
const answerSchema = z.object({ transfers: z.tuple([z.object({ status: z.string() })]) });
/** Far from all accounts with a key. */
const RECIPIENTS_FROM = 0xbe00_0000_0000n;

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { owners } = ownersSchema.parse(JSON.parse((await lines.next()).value));
let asked = 0;

async function pay(owner: number): Promise<void> {
	const from = owners[owner];
	if (!from) throw new Error("there are more at once than owners");
	const recipient = `0x${(RECIPIENTS_FROM + BigInt(asked++)).toString(16).padStart(40, "0")}`;
	const response = await fetch(`${url}/v1/trading/wallet-transfers`, {
		method: "POST",
		headers: {
			authorization: `Bearer ${from.session}`,
			"content-type": "application/json",
			"idempotency-key": crypto.randomUUID(),
			// Each owner is a client of their own, as in reality.
			"x-forwarded-for": `10.7.${owner >> 8}.${owner & 255}`,
		},
		body: JSON.stringify({ fromWalletId: from.walletId, recipients: [recipient], amount }),
	});
	const text = await response.text();
	const [transfer] = answerSchema.safeParse(JSON.parse(text)).data?.transfers ?? [];
	if (transfer?.status !== "submitted") throw new Error(`${response.status}: ${text}`);
}

for await (const line of lines) {
	const order = turnOrder.parse(JSON.parse(line));
	const told = await runTurn(order, (worker, turn) => {
		// A worker has wallets of its own: a wallet sends nothing before its last transfer was handed
		// over.
		const own = Math.floor(owners.length / order.inFlight);
		return pay(worker + order.inFlight * (turn % own));
	});
	process.stdout.write(`${JSON.stringify(told)}\n`);
}
