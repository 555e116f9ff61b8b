import { expect } from "bun:test";
import type { FakeTokenChain } from "#plugins/tokenomics/testing/fakeTokenChain.ts";
import type { Books } from "#plugins/tokenomics/testing/openLedgerLab.ts";

/**
 * Compares everything of money that the ledger holds with what the chain was at the ledger's block.
 * A split that another one replaced before anything was split leaves no trace: a node can hide it.
 */
export function expectBooks(books: Books, chain: FakeTokenChain): void {
	const state = chain.stateAt(books.readTo);
	const amounts = (kind: string) =>
		[...books.totals].flatMap(([name, { amount }]) => {
			const [is, currency = "", bucket] = name.split(" ");
			return is === kind && amount !== 0n ? [`${currency} ${bucket} ${amount}`] : [];
		});
	const flat = (of: ReadonlyMap<string, readonly bigint[]>) =>
		[...of].flatMap(([currency, shares]) =>
			shares.flatMap((raw, bucket) => (raw === 0n ? [] : [`${currency} ${bucket} ${raw}`])),
		);
	expect(amounts("earned").sort()).toEqual(flat(state.earned).sort());
	expect(amounts("share_paid").sort()).toEqual(flat(state.paid).sort());
	const held: [string, bigint][] = [...state.balances].filter(([, balance]) => balance !== 0n);
	expect(new Map<string, bigint>(books.holders)).toEqual(new Map(held));
	const count = (kind: Parameters<FakeTokenChain["acts"]>[0]) =>
		chain.acts(kind, books.readTo).length;
	expect(books.entries.get("buyback_burned") ?? 0).toBe(count("burn"));
	expect(books.entries.get("revenue_received") ?? 0).toBe(count("deposit"));
	const burned = chain
		.acts("burn", books.readTo)
		.reduce((sum, act) => sum + (act.kind === "burn" ? act.burned : 0n), 0n);
	const told = [...books.totals].filter(([name]) => name.startsWith("buyback_burned"));
	expect(told.reduce((sum, [, row]) => sum + row.burned, 0n)).toBe(burned);
}
