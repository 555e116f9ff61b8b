// Does the least that sending through the wallet provider with a record needs: one row, committed,
// and one signed request. No caller is authenticated, nothing is planned, simulated, limited,
// reserved or written later. Reads `{ custody, wallets }` as its first JSON line, then orders of
// turns; prints the result of each. Arguments: the database, each amount in wei.
import { createPrivateKey, randomUUID, sign } from "node:crypto";
import { createInterface } from "node:readline";
import { Pool } from "pg";
import { z } from "zod";
import { runTurn, turnOrder } from "#test/bench/measure/runTurn.ts";

const [connectionString = "", amountRaw = ""] = process.argv.slice(2);
const begun = z.object({
	custody: z.object({
		url: z.string(),
		appId: z.string(),
		appSecret: z.string(),
		authorizationKey: z.string(),
	}),
	wallets: z.array(z.object({ walletId: z.string(), address: z.string() })).min(1),
});
const EXPIRES_MS = 30_000;
const RECIPIENTS_FROM = 0xba_0000_0000n;
const GAS = "0x5208";
const MAX_FEE = "0xb2d05e00";
const TIP = "0x5f5e100";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { custody, wallets } = begun.parse(JSON.parse((await lines.next()).value));
const pkcs8 = Buffer.from(custody.authorizationKey.replace("wallet-auth:", ""), "base64");
const privateKey = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
const basic = Buffer.from(`${custody.appId}:${custody.appSecret}`).toString("base64");
const pool = new Pool({ connectionString, max: 16 });
await pool.query("create table bare_intent (id uuid primary key, wallet text, nonce int8)");
const nonces = new Map<string, number>();
let asked = 0;

/** Returns its members in order, which is what is signed. */
function canonical(value: unknown): string {
	if (typeof value !== "object" || value === null) return JSON.stringify(value);
	const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return `{${members.map(([name, one]) => `"${name}":${canonical(one)}`).join()}}`;
}

async function pay(index: number): Promise<void> {
	const wallet = wallets[index];
	if (!wallet) throw new Error("there are more at once than wallets");
	const { walletId, address } = wallet;
	const nonce = nonces.get(walletId) ?? 0;
	nonces.set(walletId, nonce + 1);
	const id = randomUUID();
	const text = "insert into bare_intent values ($1, $2, $3)";
	await pool.query({ name: "insert", text, values: [id, walletId, nonce] });
	const url = `${custody.url}/v1/wallets/${walletId}/rpc`;
	const signed = {
		"privy-app-id": custody.appId,
		"privy-idempotency-key": id,
		"privy-request-expiry": String(Date.now() + EXPIRES_MS),
	};
	const transaction = {
		type: 2,
		chain_id: "0x7a69",
		from: address,
		to: `0x${(RECIPIENTS_FROM + BigInt(asked++)).toString(16).padStart(40, "0")}`,
		value: `0x${BigInt(amountRaw).toString(16)}`,
		data: "0x",
		nonce: `0x${nonce.toString(16)}`,
		gas_limit: GAS,
		max_fee_per_gas: MAX_FEE,
		max_priority_fee_per_gas: TIP,
	};
	const body = {
		method: "eth_sendTransaction",
		caip2: "eip155:31337",
		chain_type: "ethereum",
		reference_id: id,
		params: { transaction },
	};
	const payload = canonical({ version: 1, method: "POST", url, body, headers: signed });
	const response = await fetch(url, {
		method: "POST",
		headers: {
			...signed,
			authorization: `Basic ${basic}`,
			"content-type": "application/json",
			"privy-authorization-signature": sign("sha256", Buffer.from(payload), privateKey).toString(
				"base64",
			),
		},
		body: JSON.stringify(body),
	});
	const answer = await response.text();
	if (response.status !== 200) throw new Error(`${response.status}: ${answer}`);
}

for await (const line of lines) {
	const order = turnOrder.parse(JSON.parse(line));
	const told = await runTurn(order, (worker, turn) => {
		const own = Math.floor(wallets.length / order.inFlight);
		return pay(worker + order.inFlight * (turn % own));
	});
	process.stdout.write(`${JSON.stringify(told)}\n`);
}
