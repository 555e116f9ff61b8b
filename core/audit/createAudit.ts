import type { Audit } from "#core/audit/Audit.ts";
import { renderEntry } from "#core/audit/renderEntry.ts";
import { insertEntry } from "#core/audit/sql/insertEntry.ts";
import { lockChain } from "#core/audit/sql/lockChain.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Tx } from "#core/db/Database.ts";

/**
 * The hash-chained log.
 *
 * There is one chain, so whoever appends waits for whoever appends. The lock is therefore the last
 * one that a transaction takes, when nothing but the commit is left to do: nobody who holds it
 * waits for anybody, so it is short and no part of a deadlock.
 */
export function createAudit({ clock }: { clock: Clock }): Audit {
	const pending = new WeakMap<Tx, string[]>();
	return {
		async append(tx, entry) {
			const text = renderEntry(entry, clock.nowMs());
			const waiting = pending.get(tx);
			if (waiting) {
				waiting.push(text);
				return;
			}
			const entries = [text];
			pending.set(tx, entries);
			const store = async () => {
				// What another last step appends from here on gets a step of its own.
				pending.delete(tx);
				await storeEntries(tx, entries);
			};
			// A step that adds a step: so it stands behind those that were added before it runs.
			tx.beforeCommit(async () => tx.beforeCommit(store));
		},
	};
}

/** Sent together; each insert sees the lock held and the one before it. */
async function storeEntries(tx: Tx, entries: readonly string[]): Promise<void> {
	await Promise.all([lockChain(tx), ...entries.map((entry) => insertEntry(tx, entry))]);
}
