// Stores operators' decisions about stock tokens.

import type { Audit } from "#core/audit/createAudit.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { isSqlState, type Tx } from "#core/db/Database.ts";
import { nextState } from "#core/states.ts";
import { nextStatus } from "#plugins/trading/assetStates.ts";
import { registryFault } from "#plugins/trading/registry/faults.ts";
import { checkFeeds, FEED_FLAW } from "#plugins/trading/registry/planSync.ts";
import { type AssetRow, assetRows } from "#plugins/trading/sql/assets.ts";

type Reviewed = { chainId: number; address: Address; actor: string; at: Date };

/**
 * Stores an operator's decision about a token, with its entry in the audit log; returns the row.
 * Approving reinstates a token that came back to the list, or that was refused; refusing takes a
 * token off the market until an operator approves it.
 */
export async function reviewAsset(
	tx: Tx,
	review: Reviewed & { decision: "approve" | "refuse"; reason: string | null },
	audit: Audit,
): Promise<AssetRow> {
	const { actor, at, decision, reason } = review;
	const row = await lockStock(tx, review);
	const changed = decision === "refuse" ? refused(row, review) : approved(row, at);
	await write(tx, changed);
	await audit.append(tx, {
		actor: `operator:${actor}`,
		action: "trading.stock_token.reviewed",
		subject: `token:${row.chainId}:${row.address}`,
		detail: { decision, reason, symbol: row.symbol, before: row.status, after: changed.status },
	});
	return changed;
}

/**
 * Stores the price feed that an operator sets for a token, or that it has none; returns the row.
 */
export async function setFeed(
	tx: Tx,
	change: Reviewed & { feed: Address | null },
	audit: Audit,
): Promise<AssetRow> {
	const { actor, at, feed } = change;
	const row = await lockStock(tx, change);
	const changed = { ...row, feed, feedSetBy: `operator:${actor}`, changedAt: at };
	await assetRows.write(tx, changed);
	await audit.append(tx, {
		actor: `operator:${actor}`,
		action: "trading.stock_token.feed_set",
		subject: `token:${row.chainId}:${row.address}`,
		detail: { symbol: row.symbol, before: row.feed, after: feed },
	});
	return changed;
}

/** Throws `feed_unreadable` unless the address answers as a price feed does. */
export async function assertFeed(
	rpc: Rpc,
	{ feed, nowMs, signal }: { feed: Address; nowMs: number; signal: AbortSignal },
): Promise<void> {
	const unreadable = await checkFeeds(rpc, { feeds: [feed], nowMs, signal });
	if (unreadable.has(feed)) throw registryFault.feedUnreadable();
}

function refused(row: AssetRow, { actor, at }: Reviewed): AssetRow {
	const status = nextState(nextStatus, row.status, "refused") ?? row.status;
	return { ...row, status, heldBy: `operator:${actor}`, changedAt: at };
}

function approved(row: AssetRow, at: Date): AssetRow {
	const status = nextState(nextStatus, row.status, "approved");
	if (!status) throw registryFault.assetState();
	if (!row.isListed) throw registryFault.assetNotListed();
	const flaws = row.flaws.filter((flaw) => flaw !== FEED_FLAW);
	if (flaws.length > 0) {
		const found = flaws.join(", ");
		throw registryFault.assetFlawed({ public: `The last check on chain found: ${found}.` });
	}
	return { ...row, status, heldBy: null, unlistedAt: null, changedAt: at };
}

/** Writes the row; throws `symbol_taken` where the unique index finds the ticker in use. */
async function write(tx: Tx, row: AssetRow): Promise<void> {
	try {
		await assetRows.write(tx, row);
	} catch (error) {
		if (isSqlState(error, "unique_violation")) throw registryFault.symbolTaken();
		throw error;
	}
}

async function lockStock(tx: Tx, { chainId, address }: Reviewed): Promise<AssetRow> {
	const row = await assetRows.lock(tx, chainId, address);
	if (row?.kind !== "stock") throw registryFault.notFound();
	return row;
}
