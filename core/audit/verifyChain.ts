import { createHash } from "node:crypto";
import type { AuditHead } from "#core/audit/AuditHead.ts";
import { readEntries, type StoredEntry } from "#core/audit/sql/readEntries.ts";
import { readHead } from "#core/audit/sql/readHead.ts";
import type { Queryable } from "#core/db/Database.ts";

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
	/** An entry that is taken as it stands: only what follows it is read. */
	from?: AuditHead;
	/** Gets each entry that is proved to follow the one before it. */
	visit?(stored: StoredEntry): Promise<void>;
};

const START: AuditHead = { seq: 0, hash: "0".repeat(64) };

/**
 * Follows the chain from its first entry to what is its last when this begins.
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

function differs(found: AuditHead, exported: AuditHead | null): boolean {
	return exported !== null && exported.seq === found.seq && exported.hash !== found.hash;
}
