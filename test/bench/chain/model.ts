// Describes the chains that the bench runs against.

/** A chain on which money moves, with the service's settings for it. */
export type TradingPlace = {
	chain: TradingChain;
	env: Readonly<Record<string, string>>;
	/** Prepares the wallets that trade, before the service starts. */
	prepare(addresses: readonly string[]): Promise<void>;
};

export type NodeCall = { method: string; params?: readonly unknown[] };

/** Describes a private chain that mines only when told to, with blocks of any size. */
export type Node = {
	pid: number;
	url: string;
	wsUrl: string;
	call<Result = unknown>(method: string, params?: readonly unknown[]): Promise<Result>;
	/** Sends all calls in one HTTP request; the first error of any call throws. */
	batch(calls: readonly NodeCall[]): Promise<void>;
	stop(): Promise<void>;
};

/** A chain that mines by the clock, as chains do on which money is sent. */
export type TradingChain = {
	url: string;
	wsUrl: string;
	/** The node's process id. */
	pid: number;
	/** ETH's price, as `USD_FEEDS_JSON` takes it. */
	usdFeeds: unknown;
	call<Result = unknown>(method: string, params?: readonly unknown[]): Promise<Result>;
	stop(): Promise<void>;
};
