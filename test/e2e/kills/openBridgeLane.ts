import { encodeFunctionData, type Hex } from "viem";
import { bundleKillable } from "#test/e2e/kills/bundleKillable.ts";
import {
	type KillLane,
	type KillPlace,
	laneClock,
	openLane,
} from "#test/e2e/kills/openKillLane.ts";
import {
	type BridgeWorldParts,
	openBridgeWorld,
	SIGNED_DOLLAR,
	USDG,
} from "#test/harness/openBridgeWorld.ts";
import { dollarAbi } from "#test/sandbox/bridge/solverAccount.ts";

type Place = KillPlace & { bridges: BridgeWorldParts };
export type BridgeLane = KillLane<Place> & {
	/** What the wallet has now, of each currency that is bridged, as `chain currency`. */
	holdings(): Promise<ReadonlyMap<string, bigint>>;
};

const PURSE_RAW = 1_000_000n * 1_000_000n;
const COIN: Hex = `0x${"0".repeat(40)}`;
/** As `openLane` moves its clock. */
const BETWEEN_LIVES_MS = 20_000;
/** What a bridge needs: a start without the others takes half the time. */
const PLUGINS = ["custody", "wallets", "bridge"];

/**
 * Opens a lane on two chains with a bridge between them, whose wallet has dollars of both kinds:
 * those that are deposited, and those that its owner signs for. The chains' time goes with the
 * lane's, as signatures end by it.
 */
export async function openBridgeLane(): Promise<BridgeLane> {
	const clock = laneClock();
	const [bridges, bundle] = await Promise.all([
		openBridgeWorld({ clock }),
		bundleKillable(PLUGINS),
	]);
	const { market, home, custody } = bridges;
	const [prices = ""] = bundle.plugins;
	const lane = await openLane<Place>(
		{ anvil: home, bundle, bridges },
		{
			...{ index: 0, chain: "robinhood", made: { clock, custody } },
			env: {
				...bridges.env,
				...{ PLUGINS: prices, PLUGINS_DISABLED: "", STAND_IN_COIN: USDG },
				STAND_IN_DOLLAR: USDG,
			},
			async prepare({ address }) {
				for (const token of [USDG, SIGNED_DOLLAR]) await mint(bridges, token, address);
			},
		},
	);
	const pass = async (ms: number) => {
		for (const chain of [market, home]) {
			await chain.rpc("evm_increaseTime", [Math.ceil(ms / 1_000)]);
			await chain.rpc("evm_mine");
		}
	};
	const { address } = lane.wallet;
	return {
		...lane,
		async tick(ms) {
			await pass(ms);
			return await lane.tick(ms);
		},
		async revive() {
			await pass(BETWEEN_LIVES_MS);
			await lane.revive();
		},
		async holdings() {
			const coins = await Promise.all(
				[market, home].map(async ({ chainId, rpc }) => {
					const raw = BigInt(await rpc<string>("eth_getBalance", [address, "latest"]));
					return [`${chainId} ${COIN}`, raw] as const;
				}),
			);
			const args = [address] as const;
			const data = encodeFunctionData({ abi: dollarAbi, functionName: "balanceOf", args });
			const dollars = await Promise.all(
				[USDG, SIGNED_DOLLAR].map(async (to) => {
					const told = await home.rpc<string>("eth_call", [{ to, data }, "latest"]);
					return [`${home.chainId} ${to}`, BigInt(told)] as const;
				}),
			);
			return new Map([...coins, ...dollars]);
		},
		async stop() {
			await lane.stop();
			await bridges.stop();
			await bundle.remove();
		},
	};
}

async function mint({ home }: BridgeWorldParts, to: string, owner: Hex): Promise<void> {
	const args = [owner, PURSE_RAW] as const;
	const data = encodeFunctionData({ abi: dollarAbi, functionName: "mint", args });
	const [from] = await home.rpc<string[]>("eth_accounts");
	await home.rpc("eth_sendTransaction", [{ from, to, data }]);
	await home.mined();
}
