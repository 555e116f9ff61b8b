// Lists the requests that are made while processes die.

import { type Hex, toHex } from "viem";
import {
	authorizeSteps,
	bridgeSteps,
	depositSteps,
	handOverSteps,
} from "#plugins/bridge/bridgeConfig.ts";
import { buySteps } from "#plugins/nft-buys/limits.ts";
import { purchaseSteps, releaseSteps, turnSteps } from "#plugins/tokenomics/buyback/releaseKind.ts";
import { tradeSteps } from "#plugins/trading/swap/prepareSwap.ts";
import { transferSteps } from "#plugins/transfers/transferKind.ts";
import { allowanceSteps } from "#plugins/wallets/allowance.ts";
import { signSteps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { KillLane } from "#test/e2e/kills/openKillLane.ts";
import { sellListing } from "#test/harness/sellListing.ts";
import type { CustodyFaultOrder } from "#test/sandbox/custody/CustodyFault.ts";

/** A request that moves money, and what it would move. */
export type KillRun = {
	path: string;
	body: Readonly<Record<string, unknown>>;
	/** The expected status of its answer. */
	status: number;
	/** The expected payments or purchases; one intent for each. */
	wanted: readonly Wanted[];
	/** True: it cannot be paid, so nothing may leave the wallet. */
	isDenied: boolean;
};

export type Wanted =
	| { kind: "pay"; recipient: Hex; raw: bigint }
	| { kind: "pay_token"; recipient: Hex; raw: bigint }
	| { kind: "buy"; tokenId: bigint; raw: bigint };

export type KillScenario = {
	name: string;
	/** The wallet provider's faults when it is asked to send. */
	faults: readonly CustodyFaultOrder[];
	asksOwner: boolean;
	/**
	 * True: the node drops the pending transactions once, after the service has seen them. Nothing is
	 * mined before, and then so much time passes that they are given up for lost.
	 */
	isDropped: boolean;
	/** True: the owner cancels all of it, by nonce, while nothing is mined. */
	isCancelled: boolean;
	prepare(lane: KillLane): Promise<KillRun>;
};

type Options = {
	faults?: CustodyFaultOrder[];
	asksOwner?: boolean;
	isDenied?: boolean;
	isDropped?: boolean;
	isCancelled?: boolean;
};

const SEND = "^POST /v1/wallets/";
const MILLI_WEI = 10n ** 15n;
const PRICE_RAW = 10n ** 18n;
const MONTH_S = 30 * 86_400;

/** The requests that are made while processes die. */
export const killScenarios = {
	/** With a wallet provider that works. Together they reach every step. */
	well: [
		transfers("transfers"),
		transfers("transfers that are confirmed first", { asksOwner: true }),
		transfers("transfers of more than there is", { isDenied: true }),
		transfers("transfers, and the first request to send is lost", {
			faults: [{ path: SEND, kind: "silence", when: "before", times: 1 }],
		}),
		transfers("transfers that the node forgets", { isDropped: true }),
		transfers("transfers that are cancelled", { isCancelled: true }),
		tokenTransfer(),
		buy("a buy"),
	],
	/** With a wallet provider that works and reports it badly. */
	ill: [
		...[transfers, buy].map((make) =>
			make("silent after broadcasting", {
				faults: [{ path: SEND, kind: "silence", when: "after" }],
			}),
		),
		transfers("answers late, in time", {
			faults: [{ path: SEND, kind: "slow", when: "after", delayMs: 150 }],
		}),
		transfers("answers late, too late", {
			faults: [{ path: SEND, kind: "slow", when: "after", delayMs: 600 }],
		}),
		transfers("broadcasts late", {
			faults: [{ path: SEND, kind: "late_broadcast", delayMs: 200 }],
		}),
		transfers("broadcasts late, whatever the request's expiry", {
			faults: [{ path: SEND, kind: "late_broadcast", delayMs: 600, pastExpiry: true }],
		}),
		transfers("broadcasts twice", { faults: [{ path: SEND, kind: "twice" }] }),
		transfers("answers twice, and look-ups twice", {
			faults: [
				{ path: SEND, kind: "silence", when: "after", times: 1 },
				{ path: "^GET /v1/transactions", kind: "twice" },
			],
		}),
	],
} satisfies Record<string, KillScenario[]>;

/** The outbound calls of the kinds of intents at which processes are killed here. */
export const kindSteps: readonly string[] = [...transferSteps, ...buySteps, ...allowanceSteps];

/**
 * Steps of trades, bridges and buybacks, which run on other chains than `openKillWorld`'s, and
 * those of signatures, which bridges ask for. Their processes are killed at each of them in
 * `trades.test.ts` beside this file, in `killedBridges.test.ts`, `bridgeDeaths.test.ts` and
 * `signedBridges.test.ts` of `test/e2e/bridges`, in `plugins/wallets/execution/sign.test.ts` and in
 * `plugins/tokenomics/buyback/takeTurn.test.ts`.
 */
export const stepsEndedElsewhere: readonly string[] = [
	...signSteps,
	...tradeSteps,
	...bridgeSteps,
	...depositSteps,
	...handOverSteps,
	...authorizeSteps,
	...turnSteps,
	...purchaseSteps,
	...releaseSteps,
];

/**
 * Makes a scenario of two recipients that were never paid before: their balance in the end is what
 * was moved.
 */
function transfers(name: string, options: Options = {}): KillScenario {
	const { faults = [], asksOwner = false, isDenied = false } = options;
	const { isDropped = false, isCancelled = false } = options;
	return {
		name: `transfers: ${name}`,
		faults,
		asksOwner,
		isDropped,
		isCancelled,
		async prepare({ wallet }) {
			const recipients = [somebody(), somebody()];
			const amount = isDenied ? "900" : "0.001";
			const raw = isDenied ? 900n * 10n ** 18n : MILLI_WEI;
			return {
				path: "/v1/trading/wallet-transfers",
				body: { fromWalletId: wallet.id, recipients, amount, chain: "anvil" },
				status: 202,
				wanted: recipients.map((recipient) => ({ kind: "pay", recipient, raw })),
				isDenied,
			};
		},
	};
}

/** Makes a scenario of a token sent to somebody: what arrived is read beside its logs. */
function tokenTransfer(): KillScenario {
	return {
		name: "transfers: of a token",
		faults: [],
		...{ asksOwner: false, isDropped: false, isCancelled: false },
		async prepare({ wallet, world }) {
			const recipient = somebody();
			const { coin } = world.seaport.tokens;
			return {
				path: "/v1/trading/wallet-transfers",
				body: {
					...{ fromWalletId: wallet.id, recipients: [recipient], amount: "0.001" },
					...{ chain: "anvil", currency: coin },
				},
				status: 202,
				wanted: [{ kind: "pay_token", recipient, raw: MILLI_WEI }],
				isDenied: false,
			};
		},
	};
}

function somebody(): Hex {
	return toHex(crypto.getRandomValues(new Uint8Array(20)));
}

/** Makes a scenario of a token bought for coins, by which each outbound call of a buy is made. */
function buy(name: string, { faults = [] }: Options = {}): KillScenario {
	const still = { asksOwner: false, isDropped: false, isCancelled: false };
	return { name: `a buy: ${name}`, faults, ...still, prepare: putUpForSale };
}

async function putUpForSale(lane: KillLane): Promise<KillRun> {
	const { seaport } = lane.world;
	const { tokens, accounts } = seaport;
	const owner = accounts[lane.seller];
	if (!owner) throw new Error("no such seller");
	const tokenId = await lane.world.whileMining(() => seaport.mintNft(owner));
	const listed = await sellListing({
		seller: lane.seller,
		token: { itemType: 2, contract: tokens.nft, id: tokenId },
		currency: tokens.coin,
		payments: [{ recipient: owner, raw: PRICE_RAW }],
		// The chain's time, which the lane's clock is ahead of.
		nowMs: Date.now(),
		endsInS: MONTH_S,
	});
	const fulfilment = structuredClone(listed.fulfilment());
	const parameters = fulfilment.transaction.inputData["parameters"] as Record<string, unknown>;
	// The provider's conduit is not on this node: the marketplace itself takes the coins.
	parameters["fulfillerConduitKey"] = `0x${"0".repeat(64)}`;
	lane.sell({ listing: listed.listing, fulfilment });
	return {
		path: "/v1/nft-market/buys",
		body: {
			contract: tokens.nft,
			tokenId: String(tokenId),
			maxPriceNative: "1",
			walletId: lane.wallet.id,
		},
		status: 201,
		wanted: [{ kind: "buy", tokenId, raw: PRICE_RAW }],
		isDenied: false,
	};
}
