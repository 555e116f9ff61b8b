import { type Address, isAddress, toHex } from "viem";
import { z } from "zod";
import { createRpc } from "../createRpc.ts";
import { keeperWallet } from "../custody/people/keeperWallet.ts";
import { createFaultDesk } from "../stocks/faults/createFaultDesk.ts";
import { economySettings } from "./economySettings.ts";
import type { Economy } from "./openEconomy.ts";
import { type Sandwich, startSearcher } from "./startSearcher.ts";

const order = {
	path: z.string().max(200).optional(),
	/** How many purchases; for ever without it. */
	times: z.int().min(1).optional(),
};

/** What goes wrong with a purchase, as `POST /_sandbox/faults` takes it. */
const EconomyFault = z.discriminatedUnion("kind", [
	/** Somebody makes the token dearer by so much right before the purchase, in the same block. */
	z.object({
		...order,
		kind: z.literal("sandwich"),
		bps: z.int().min(1).max(5_000).default(40),
	}),
]);
type EconomyFault = z.output<typeof EconomyFault>;

const wei = z
	.string()
	.regex(/^\d{1,30}$/)
	.transform(BigInt);
const account = z.custom<Address>((value) => typeof value === "string" && isAddress(value));

/** One thing done to the economy, as `POST /_sandbox/world` takes it. */
const Hand = z.discriminatedUnion("do", [
	/** Dollars of one token and of one ether, where all pools go. */
	z.object({ do: z.literal("price"), tape: z.number().positive(), eth: z.number().positive() }),
	/** All pools of a fee. */
	z.object({
		do: z.literal("drain"),
		fee: z.int(),
		keepBps: z.int().min(0).max(10_000).default(0),
	}),
	z.object({ do: z.literal("pay"), source: z.string().min(1).max(32), wei }),
	/** What the keeper has for gas, and to spend. */
	z.object({ do: z.literal("purse"), wei }),
	z.object({ do: z.literal("give"), to: account, raw: wei }),
]);
type Hand = z.output<typeof Hand>;

export type EconomyDesk = {
	url: string;
	fault(order: z.input<typeof EconomyFault>): void;
	clearFaults(): void;
	/** The searcher mines all blocks now. */
	isSearching(): boolean;
	sandwiches(): readonly Sandwich[];
	stop(): Promise<void>;
};

const SANDWICH = "/sandwich";

/** Starts the searcher, and the port at which people move the economy and order what goes wrong. */
export function startEconomyDesk(options: {
	economy: Economy;
	rpcUrl: string;
	port?: number | undefined;
}): EconomyDesk {
	const { economy, rpcUrl, port = 0 } = options;
	const rpc = createRpc(rpcUrl);
	const desk = createFaultDesk<EconomyFault>(EconomyFault);
	const searcher = startSearcher({
		rpc,
		isWanted: () => desk.has("sandwich"),
		takeBps: () => desk.take(SANDWICH, "sandwich")[0]?.bps,
	});

	async function lend(hand: Hand): Promise<void> {
		switch (hand.do) {
			case "price":
				return await economy.movePrice(hand);
			case "drain":
				for (const pool of economy.pools) {
					if (pool.fee === hand.fee) await economy.drain(pool, hand.keepBps);
				}
				return;
			case "pay":
				return await economy.payCoins(hand.source, hand.wei);
			case "purse":
				await rpc.call("anvil_setBalance", [keeperWallet().address, toHex(hand.wei)]);
				return;
			case "give":
				return await economy.give(hand.to, hand.raw);
		}
	}

	async function answerHand(request: Request): Promise<Response> {
		const hand = Hand.safeParse(await request.json().catch(() => null));
		if (!hand.success) return Response.json({ detail: hand.error.message }, { status: 400 });
		try {
			await lend(hand.data);
			return Response.json({ done: hand.data.do });
		} catch (cause) {
			const detail = cause instanceof Error ? cause.message : String(cause);
			return Response.json({ detail }, { status: 409 });
		}
	}

	const server = Bun.serve({
		hostname: "127.0.0.1",
		port,
		idleTimeout: 0,
		fetch: (request) => {
			const { pathname } = new URL(request.url);
			if (pathname === "/_sandbox/world" && request.method === "POST") return answerHand(request);
			return desk.serve(request, async () =>
				Response.json({ ...economySettings(), sandwiches: searcher.sandwiches() }),
			);
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}`,
		fault: (fault) => desk.add(EconomyFault.parse(fault)),
		clearFaults: desk.clear,
		isSearching: searcher.isSearching,
		sandwiches: searcher.sandwiches,
		async stop() {
			desk.stop();
			await searcher.stop();
			await server.stop(true);
		},
	};
}
