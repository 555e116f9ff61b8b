// Waits for all intents to end, and compares service, wallet provider and chain.

import { Client } from "pg";
import { z } from "zod";
import { createBookVerifier } from "#core/audit/verifyBook.ts";
import { verifyChain } from "#core/audit/verifyChain.ts";
import type { Database } from "#core/db/Database.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log.ts";
import { walletsBook } from "#plugins/wallets/walletsBook.ts";
import type { Trading } from "#test/bench/measure/openTrading.ts";
import { createRpc } from "#test/sandbox/createRpc.ts";

/** The cost of the audit roots for one intent. */
export type AuditCost = {
	/** Hashing and storing, by the clock of a busy machine: the processor took less. */
	sealMs: number;
	rows: number;
	/** Leaves with their index, and entries of the chain. */
	bytes: number;
	/** The time to prove all of it. */
	verifyMs: number;
};

type Row = {
	id: string;
	reference: string;
	status: string;
	sender: string;
	recipient: string;
	hash: string;
	submissions: number;
	reserved: string;
	spent: string;
	entries: number;
};

const SEALED_TIMEOUT_MS = 30_000;
const POLL_MS = 200;

/**
 * Blocks on top of the sent transactions: as many as it takes until they are not looked up any
 * more.
 */
const BLOCKS_ON_TOP = 65;
const SETTLED_TIMEOUT_MS = 30_000;
const BOOKS_POLL_MS = 100;
const OPEN = "('created', 'submitting', 'submitted', 'uncertain')";

const listSchema = z.object({
	transactions: z.array(
		z.object({ referenceId: z.string(), hash: z.string(), broadcasts: z.number() }),
	),
});

/** Waits until everything is sealed, proves it, and divides both costs by the intents. */
export async function auditCostOf(
	{ connectionString, service }: Pick<Trading, "connectionString" | "service">,
	{ intents }: { intents: number },
): Promise<AuditCost> {
	const db = openDatabase({
		connectionString,
		connectionsMax: 1,
		applicationName: "tapeline bench",
		log: silentLog,
	});
	try {
		await untilSealed(db);
		const text = await (await fetch(`${service.url}/metrics`)).text();
		const beganMs = performance.now();
		const verifier = createBookVerifier(db, [walletsBook]);
		await verifyChain(db, { visit: (entry) => verifier.visit(entry) });
		const { rows, flawsTotal, flaws } = await verifier.end();
		if (flawsTotal > 0) throw new Error(`the books are not whole: ${JSON.stringify(flaws[0])}`);
		return {
			sealMs: (counted(text, "tapeline_audit_book_seal_seconds_total") * 1_000) / intents,
			rows: rows / intents,
			bytes: (await bytesOf(db)) / intents,
			verifyMs: (performance.now() - beganMs) / intents,
		};
	} finally {
		await db.close();
	}
}

/**
 * Waits for the end of everything that was sent, and compares service, wallet provider and chain:
 * each intent paid its recipient once, and is in the books as one reservation that was spent.
 * Returns how long the service took to settle. A run counts only without any problem.
 */
export async function settleBooks(
	trading: Trading,
	paid: { intents: number; raw: bigint },
): Promise<{ settledSeconds: number }> {
	const { chain, connectionString } = trading;
	const client = new Client({ connectionString });
	await client.connect();
	try {
		const beganMs = performance.now();
		await chain.call("evm_mine");
		await chain.call("anvil_mine", [`0x${BLOCKS_ON_TOP.toString(16)}`]);
		await untilSettled(client);
		const settledSeconds = (performance.now() - beganMs) / 1_000;
		const rows = await readRows(client);
		const problems = [
			...(rows.length === paid.intents ? [] : [`${rows.length} intents of ${paid.intents}`]),
			...rows.flatMap((row) => problemsOf(row, paid.raw)),
			...(await problemsOfProvider(trading, rows)),
			...(await problemsOfChain(trading, rows, paid.raw)),
		];
		if (problems.length > 0) {
			throw new Error(`${problems.length} things are amiss: ${problems.slice(0, 5).join("; ")}`);
		}
		return { settledSeconds };
	} finally {
		await client.end();
	}
}

async function untilSealed(db: Database): Promise<void> {
	const deadlineMs = performance.now() + SEALED_TIMEOUT_MS;
	for (;;) {
		const unsealed = await unsealedRows(db);
		if (unsealed === 0) return;
		if (performance.now() > deadlineMs) throw new Error(`${unsealed} rows are not sealed`);
		await Bun.sleep(POLL_MS);
	}
}

async function unsealedRows(db: Database): Promise<number> {
	const [row] = await db.query<{ unsealed: number }>(
		`select (select count(*) from wallets.intent_move where tx >= b.to_tx or tx = any(b.to_open))
			+ (select count(*) from wallets.spend_entry where tx >= b.to_tx or tx = any(b.to_open))
			as unsealed
		from core.audit_book b where b.name = $1`,
		[walletsBook.name],
	);
	return Number(row?.unsealed ?? 1);
}

function counted(exposed: string, name: string): number {
	const line = exposed.split("\n").find((one) => one.startsWith(`${name}{`));
	if (line === undefined) throw new Error(`the service shows no ${name}`);
	return Number(line.slice(line.lastIndexOf(" ") + 1));
}

async function bytesOf(db: Database): Promise<number> {
	const [row] = await db.query<{ bytes: number }>(
		`select pg_total_relation_size('core.audit_batch')
			+ pg_total_relation_size('core.audit_entry') as bytes`,
	);
	return row?.bytes ?? 0;
}

async function untilSettled(client: Client): Promise<void> {
	const deadlineMs = performance.now() + SETTLED_TIMEOUT_MS;
	for (;;) {
		const { rows } = await client.query<{ open: number }>(
			`select count(*)::int as open from wallets.intent where status in ${OPEN}`,
		);
		if (rows[0]?.open === 0) return;
		if (performance.now() > deadlineMs) throw new Error(`${rows[0]?.open} intents are still open`);
		await Bun.sleep(BOOKS_POLL_MS);
	}
}

async function readRows(client: Client): Promise<Row[]> {
	const { rows } = await client.query<Row>(
		`select i.id, i.status, i.request->>'recipient' as recipient, s.*, e.*
		from wallets.intent i
		cross join lateral (
			select count(*)::int as submissions, min(id::text) as reference,
				min('0x' || encode(sender, 'hex')) as sender,
				min('0x' || encode(transaction_hash, 'hex')) as hash
			from wallets.submission where intent_id = i.id
		) as s
		cross join lateral (
			select count(*)::int as entries,
				coalesce(sum(amount_raw) filter (where kind = 'reserve'), 0)::text as reserved,
				coalesce(sum(amount_raw) filter (where kind = 'spend'), 0)::text as spent
			from wallets.spend_entry where intent_id = i.id
		) as e`,
	);
	return rows;
}

function problemsOf(row: Row, raw: bigint): string[] {
	const { id, status, submissions, entries, reserved, spent } = row;
	const isWhole = entries === 2 && BigInt(reserved) === raw && BigInt(spent) === raw;
	return [
		...(status === "confirmed" ? [] : [`${id} ends ${status}`]),
		...(submissions === 1 ? [] : [`${id} has ${submissions} submissions`]),
		...(isWhole ? [] : [`${id}: ${reserved} reserved, ${spent} spent, ${entries} entries`]),
	];
}

async function problemsOfProvider({ custody }: Trading, rows: readonly Row[]): Promise<string[]> {
	const response = await fetch(`${custody.walletProviderUrl}/_sandbox/transactions`);
	const { transactions } = listSchema.parse(await response.json());
	const byReference = new Map(transactions.map((one) => [one.referenceId, one]));
	return rows.flatMap(({ id, reference, hash }) => {
		const made = byReference.get(reference);
		if (made?.broadcasts === 1 && made.hash === hash) return [];
		return [`${id} is known to the wallet provider as ${JSON.stringify(made)}`];
	});
}

/** Returns problems of what is on chain, which is read from the chain alone. */
async function problemsOfChain(
	{ chain }: Trading,
	rows: readonly Row[],
	raw: bigint,
): Promise<string[]> {
	const rpc = createRpc(chain.url);
	const sent = [...Map.groupBy(rows, ({ sender }) => sender)];
	const ask = (method: string, addresses: readonly string[]) =>
		rpc.batch(addresses.map((address) => ({ method, params: [address, "latest"] })));
	const balances = await ask(
		"eth_getBalance",
		rows.map(({ recipient }) => recipient),
	);
	const nonces = await ask(
		"eth_getTransactionCount",
		sent.map(([sender]) => sender),
	);
	return [
		...rows.flatMap(({ id }, n) => {
			const got = BigInt(String(balances[n]));
			return got === raw ? [] : [`the recipient of ${id} has ${got}`];
		}),
		...sent.flatMap(([sender, own], n) => {
			const made = Number(nonces[n]);
			return made === own.length ? [] : [`${sender} made ${made} of ${own.length} transactions`];
		}),
	];
}
