// Describes the reads of accounts that other plugins may use.

import type { Address } from "#core/chain/Hex.ts";
import type {
	AccountCollection,
	AccountCoverage,
	AccountSummary,
	AccountToken,
	HoldingsCoverage,
	ShownAccountEvent,
	ShownResultSummary,
} from "#plugins/market-index/schemas/accounts.ts";

/** What is asked of an account: on one chain, else on all, and of one collection, else of all. */
export type AccountAsked = {
	address: Address;
	chain?: string | undefined;
	collectionId: number | null;
	/** The most tokens or events that are returned; sums are over all. */
	limit: number;
};

export type AccountBook = {
	/** Returns what an account holds; null where no contract of the chains was walked. */
	holdings(asked: AccountAsked): Promise<{
		data: AccountToken[] | null;
		collections: AccountCollection[] | null;
		summary: AccountSummary | null;
		coverage: HoldingsCoverage;
	}>;
	/** Returns an account's newest events of a kind and a time; `hasMore`: not all of them. */
	activity(
		asked: AccountAsked & { type: "bought" | "sold" | "minted"; since: Date; until: Date },
	): Promise<{ data: ShownAccountEvent[]; coverage: AccountCoverage; hasMore: boolean }>;
	/** Returns what an account realised, first in, first out; `readFrom`: of its newest events. */
	result(asked: AccountAsked): Promise<{
		summary: ShownResultSummary;
		readFrom: string | null;
		coverage: AccountCoverage;
	}>;
};
