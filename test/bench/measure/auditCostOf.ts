import { createBookVerifier } from "#core/audit/book/createBookVerifier.ts";
import { verifyChain } from "#core/audit/verifyChain.ts";
import type { Database } from "#core/db/Database.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { walletsBook } from "#plugins/wallets/book/walletsBook.ts";
import type { Trading } from "#test/bench/measure/openTrading.ts";

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

const SEALED_TIMEOUT_MS = 30_000;
const POLL_MS = 200;

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

async function bytesOf(db: Database): Promise<number> {
	const [row] = await db.query<{ bytes: number }>(
		`select pg_total_relation_size('core.audit_batch')
			+ pg_total_relation_size('core.audit_entry') as bytes`,
	);
	return row?.bytes ?? 0;
}

function counted(exposed: string, name: string): number {
	const line = exposed.split("\n").find((one) => one.startsWith(`${name}{`));
	if (line === undefined) throw new Error(`the service shows no ${name}`);
	return Number(line.slice(line.lastIndexOf(" ") + 1));
}
