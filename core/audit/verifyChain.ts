// Verifies the audit chain from its first entry on, and exports its head.

import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { type AuditHead, auditFault, readHead } from "#core/audit/createAudit.ts";
import type { Database, Queryable } from "#core/db/Database.ts";
import type { Log } from "#core/log.ts";
import type { Job } from "#core/schedule.ts";

export type AuditAsk = { kind: "head" } | { kind: "verify"; exported: AuditHead | null };

export type StoredEntry = { seq: number; prevHash: string; hash: string; entry: string };

/**
 * What is wrong with the entry of that number.
 *
 * - `missing`: there is none, and there are later ones.
 * - `unlinked`: it does not follow the one before it (swapped, inserted, or the one before is new).
 * - `altered`: its text is not what was hashed.
 * - `truncated`: the chain ends before it, and once it did not.
 * - `rewritten`: the chain is whole, and another one than it was.
 */
export type ChainFlaw = "missing" | "unlinked" | "altered" | "truncated" | "rewritten";

export type ChainVerdict =
	| { kind: "whole"; head: AuditHead }
	/** `good` is the last entry before the break: up to there the log is what was written. */
	| { kind: "broken"; seq: number; flaw: ChainFlaw; good: AuditHead };

export type VerifyOptions = {
	exported?: AuditHead | null;
	/** The entry from which on the chain is verified; the entry itself is believed. */
	from?: AuditHead;
	/** Gets each entry that is proved to follow the one before it. */
	visit?(stored: StoredEntry): Promise<void>;
};

const TIMEOUT_MS = 30_000;

export const AUDIT_USAGE = "audit head | audit verify [--head <seq>:<hash>]";

/** Limits the entries in one page: up to 4 MiB. */
const ENTRIES_PER_PAGE_MAX = 500;

const START: AuditHead = { seq: 0, hash: "0".repeat(64) };

/**
 * Verifies the chain from its first entry to the one that is the last when this begins.
 *
 * A chain proves that nothing before its head changed, and not that the head is the right one: who
 * may write the table could cut its end off or compute all of it anew. `exported` is a head that
 * was kept elsewhere; with it both show.
 */
export async function verifyChain(
	db: Queryable,
	{ exported = null, from = START, visit = async () => {} }: VerifyOptions = {},
): Promise<ChainVerdict> {
	const { seq: toSeq } = await readHead(db);
	let good = from;
	if (differs(good, exported)) return { kind: "broken", seq: 0, flaw: "rewritten", good };
	// Each page ends above the last one, at `toSeq` at the latest.
	while (good.seq < toSeq) {
		const page = await readEntries(db, { afterSeq: good.seq, toSeq });
		// Deleted while this ran: the next number has no entry.
		if (page.length === 0) break;
		for (const stored of page) {
			const flaw = flawOf(stored, { good, exported });
			if (flaw !== null) return { kind: "broken", seq: good.seq + 1, flaw, good };
			good = { seq: stored.seq, hash: stored.hash };
			await visit(stored);
		}
	}
	const lengthMin = Math.max(toSeq, exported?.seq ?? 0);
	if (good.seq < lengthMin) return { kind: "broken", seq: good.seq + 1, flaw: "truncated", good };
	return { kind: "whole", head: good };
}

/**
 * Exports the audit log's head into the service's log, which is kept elsewhere: who rewrites the
 * table would have to rewrite that too.
 */
export function auditHeadJob({ db, log }: { db: Database; log: Log }): Job {
	return {
		name: "core.audit-head",
		// At the hour, and not an hour after a start: whoever lives then does it.
		schedule: { cron: "0 * * * *" },
		lock: "cluster",
		timeoutMs: TIMEOUT_MS,
		async run() {
			const { seq, hash } = await readHead(db);
			log.info("audit head", { head: `${seq}:${hash}` });
		},
	};
}

/**
 * Reads the arguments of `svc audit`. A head that cannot be read is refused: verified without it,
 * the log would look proved.
 */
export function parseAuditArgs(args: readonly string[]): AuditAsk {
	const { positionals, head } = read(args);
	const [what, ...rest] = positionals;
	if (rest.length === 0 && what === "head" && head === undefined) return { kind: "head" };
	if (rest.length === 0 && what === "verify") {
		return { kind: "verify", exported: head === undefined ? null : parseHead(head) };
	}
	throw usage();
}

/** Reads a page of the chain, by the primary key; empty behind the last entry. */
export function readEntries(
	db: Queryable,
	{ afterSeq, toSeq }: { afterSeq: number; toSeq: number },
): Promise<StoredEntry[]> {
	return db.query<StoredEntry>(
		`select seq, encode(prev_hash, 'hex') as "prevHash", encode(hash, 'hex') as hash, entry
		from core.audit_entry where seq > $1 and seq <= $2 order by seq limit $3`,
		[afterSeq, toSeq, ENTRIES_PER_PAGE_MAX],
	);
}

function differs(found: AuditHead, exported: AuditHead | null): boolean {
	return exported !== null && exported.seq === found.seq && exported.hash !== found.hash;
}

function flawOf(
	stored: StoredEntry,
	{ good, exported }: { good: AuditHead; exported: AuditHead | null },
): ChainFlaw | null {
	if (stored.seq !== good.seq + 1) return "missing";
	if (stored.prevHash !== good.hash) return "unlinked";
	const hashed = createHash("sha256").update(Buffer.from(stored.prevHash, "hex"));
	if (hashed.update(stored.entry, "utf8").digest("hex") !== stored.hash) return "altered";
	return differs(stored, exported) ? "rewritten" : null;
}

function read(args: readonly string[]): { positionals: string[]; head: string | undefined } {
	try {
		const { positionals, values } = parseArgs({
			args: [...args],
			options: { head: { type: "string" } },
			allowPositionals: true,
		});
		return { positionals, head: values.head };
	} catch {
		throw usage();
	}
}

function usage() {
	return auditFault.command({ public: `bun run svc ${AUDIT_USAGE}` });
}

function parseHead(text: string): AuditHead {
	const [, digits = "", hash = ""] = /^(0|[1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
	if (digits === "") {
		throw auditFault.command({
			public: `--head is "${text}"; it takes <seq>:<hash> as \`svc audit head\` prints them.`,
		});
	}
	return { seq: Number(digits), hash };
}
