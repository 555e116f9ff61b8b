import type { Address, Hex } from "#core/chain/Hex.ts";
import { PLACE_MAX } from "#core/chain/limits.ts";
import type { Tx } from "#core/db/Database.ts";
import { sharesOf } from "#plugins/tokenomics/contracts/sharesOf.ts";
import {
	createChanges,
	DEFAULT_SPLIT,
	sumTransfers,
} from "#plugins/tokenomics/ledger/applyEvents.ts";
import { entries } from "#plugins/tokenomics/sql/entries.ts";
import { type Followed, followed } from "#plugins/tokenomics/sql/followed.ts";
import { holders } from "#plugins/tokenomics/sql/holders.ts";
import { type OfContract, totalKey, totals } from "#plugins/tokenomics/sql/totals.ts";
import { transfers } from "#plugins/tokenomics/sql/transfers.ts";

/** Rows that are read at once. */
const PAGE = 2_000;

/**
 * Takes a contract's events above a block out of the ledger, with all that they changed, and sets
 * its cursor there; in the caller's transaction. Sums of money are added up anew from the entries
 * that stay. A token's transfers are undone one by one back to the last agreement, and as a whole
 * below it.
 */
export async function rewindContract(
	tx: Tx,
	contract: Followed,
	{ to, burners }: { to: { block: number; hash: Hex | null }; burners: ReadonlySet<Address> },
): Promise<void> {
	const { chainId, address } = contract;
	if (contract.role === "token") await undoTransfers(tx, contract, { block: to.block, burners });
	else {
		await entries.deleteAbove(tx, chainId, { contract: address, block: to.block });
		await rebuildTotals(tx, { chainId, contract: address });
	}
	await followed.moveBack(tx, contract, to);
}

async function undoTransfers(
	tx: Tx,
	{ chainId, address: token, agreedTo }: Followed,
	{ block, burners }: { block: number; burners: ReadonlySet<Address> },
): Promise<void> {
	const of = { chainId, token };
	if (block < agreedTo) {
		await holders.deleteAll(tx, of);
		await transfers.deleteAbove(tx, of, -1);
		await totals.deleteAll(tx, { chainId, contract: token });
		return;
	}
	let grew = 0;
	for (let place = { block, logIndex: PLACE_MAX }; ; ) {
		const page = await transfers.above(tx, of, { ...place, limit: PAGE });
		const last = page.at(-1);
		if (!last) break;
		place = last;
		const { balances, changes } = sumTransfers(page, burners);
		const undone = new Map([...balances].map(([holder, change]) => [holder, -change]));
		grew += await holders.add(tx, of, undone);
		const taken = changes.all().map((change) => {
			return { ...change, entries: -change.entries, amount: -change.amount, lastBlock: block };
		});
		await totals.add(tx, { chainId, contract: token }, taken);
	}
	if (grew !== 0) {
		const changes = createChanges();
		const change = { amount: 0n, burned: 0n, block, atMs: null };
		changes.add(totalKey("holders"), { ...change, entries: grew });
		await totals.add(tx, { chainId, contract: token }, changes.all());
	}
	await transfers.deleteAbove(tx, of, block);
}

async function rebuildTotals(tx: Tx, of: OfContract): Promise<void> {
	await totals.deleteAll(tx, of);
	await totals.rebuild(tx, of);
	const name = (block: number, logIndex: number) => `${block}.${logIndex}`;
	const splits = new Map(
		(await entries.allSplits(tx, of.chainId, of.contract)).map(({ block, logIndex, bps }) => {
			return [name(block, logIndex), bps];
		}),
	);
	for (let skip = 0; ; skip += PAGE) {
		const page = await totals.oldest(tx, of, { kind: "revenue_received", limit: PAGE, skip });
		const changes = createChanges();
		for (const { currency, split, amount, entries: count, lastBlock: block, lastAt } of page) {
			const bps = splits.get(name(split.block, split.logIndex)) ?? DEFAULT_SPLIT;
			for (const [bucket, share] of sharesOf(amount, bps).entries()) {
				const change = { entries: count, amount: share, burned: 0n, block };
				const atMs = lastAt?.getTime() ?? null;
				changes.add(totalKey("earned", { currency, bucket }), { ...change, atMs });
			}
		}
		await totals.add(tx, of, changes.all());
		if (page.length < PAGE) return;
	}
}
