import type { Hex } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import { hexOf } from "#core/chain/hexOf.ts";
import { readBlocks } from "#core/chain/reads/readBlocks.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Queryable } from "#core/db/Database.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { createRecentHashes } from "#plugins/wallets/reconcile/createRecentHashes.ts";
import {
	HEAD_BLOCKS_MAX,
	REMEMBERED_BLOCKS,
	REMEMBERED_HASHES_MAX,
	SENT_ROWS_MAX,
} from "#plugins/wallets/reconcile/limits.ts";
import { lookAtDue } from "#plugins/wallets/reconcile/lookAtDue.ts";
import { wakeLooks } from "#plugins/wallets/reconcile/postponeLooks.ts";
import { readSubmissions } from "#plugins/wallets/submission/submissionRow.ts";

type SentHash = { id: string; hash: Hex };

/** Searches new blocks of one chain for what was sent, and looks at what it finds. */
export type HeadSearch = (head: Head | null, signal: AbortSignal) => Promise<void>;

/**
 * Reads the blocks that came since the last search, and looks at what is sent and stands in them:
 * a question for each block, however many wait, and two for each that is mined.
 *
 * It says only where to look. What is believed of a transaction is decided by the look itself, so a
 * false head or block costs one look at most; what it hides is found by the clock. Without a head
 * the newest blocks are searched once more: a hash may be written down after its block came.
 */
export function createHeadSearch(
	deps: ExecutionDeps,
	{ chainId, rpc }: { chainId: number; rpc: Rpc },
): HeadSearch {
	const recent = createRecentHashes({
		blocksMax: REMEMBERED_BLOCKS,
		hashesMax: REMEMBERED_HASHES_MAX,
	});
	let newest: Head | null = null;
	let readTo: Head | null = null;

	return async (head, signal) => {
		newest = head ?? newest;
		const sent = await readSent(deps.db, { chainId });
		if (sent.length === 0 || !newest) return;
		await readTill(newest, signal);
		const ids = sent.filter(({ hash }) => recent.take(hash)).map(({ id }) => id);
		if (ids.length === 0) return;
		const found = await readSubmissions(deps.db, "where s.id = any($1::uuid[])", [ids]);
		await lookAtDue(deps, { due: found.items, postpones: false, signal });
	};

	async function readTill(head: Head, signal: AbortSignal): Promise<void> {
		if (head.hash === readTo?.hash) return;
		// A block in place of one that was read is read as well.
		const after = Math.min(readTo?.number ?? 0, head.number - 1);
		const from = Math.max(after + 1, head.number - HEAD_BLOCKS_MAX + 1, 0);
		const numbers = Array.from({ length: head.number - from + 1 }, (_, place) => from + place);
		const blocks = await deps.steps.run("rpc.receipt", () =>
			readBlocks(rpc, { numbers, minBlock: head.number, signal }),
		);
		for (const block of blocks.values()) {
			if (!(block instanceof Fault)) recent.add(block.transactions);
		}
		// It is read again with the next head.
		if (blocks.get(head.number) instanceof Fault) return;
		const isSkipped = readTo !== null && from > readTo.number + 1;
		readTo = head;
		// What stands in blocks that nobody reads is looked for by its hash.
		if (isSkipped) await wakeLooks(deps, { chainId, sinceMs: null });
	}
}

/**
 * Reads what is sent on a chain and not seen mined yet, by its hash; of very many the newest, as
 * these are mined next. Along the index `submission_sent`.
 */
async function readSent(db: Queryable, { chainId }: { chainId: number }): Promise<SentHash[]> {
	const rows = await db.query<{ id: string; hash: Uint8Array }>(
		`select id, transaction_hash as hash from wallets.submission
		where chain_id = $1 and state = 'sent' and transaction_hash is not null
		order by created_at desc limit $2`,
		[chainId, SENT_ROWS_MAX],
	);
	return rows.map(({ id, hash }) => ({ id, hash: hexOf(hash) }));
}
