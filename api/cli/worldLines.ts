import type { World } from "#api/cli/startWorld.ts";

type WorldPart = "httpUrl" | "home" | "walletProviderUrl" | "reveals";

/**
 * What the banner says of a sandbox beside the API: its ports are new at each start, and without
 * them nobody could trade in it.
 */
export function worldLines(
	{ httpUrl, home, walletProviderUrl, reveals }: Pick<World, WorldPart>,
	{ url, hasOwnWallets }: { url: string; hasOwnWallets: boolean },
): readonly string[] {
	const rpc = `RPC      ${httpUrl}  (anvil's first ten accounts have ether)`;
	const own = `home     ${home.httpUrl}  (chain ${home.chainId}, where wallets send; the same ten)`;
	const soon = reveals.map((contract) => {
		return `reveals  ${contract}  (within three minutes: /v1/nft-market/reveals)`;
	});
	if (!hasOwnWallets) return [rpc, own, ...soon];
	return [
		rpc,
		own,
		`wallets  ${walletProviderUrl}  (ada, ben and cleo have 1,000 ether each, on both)`,
		`token    curl -s ${walletProviderUrl}/_sandbox/token -d '{"userId":"ada"}'`,
		...soon,
		`bridge   TAPELINE_TOKEN=… bun run svc ask --url ${url} "${BRIDGE}"  (… as for the plan)`,
		...reveals.slice(0, 1).flatMap((contract) => planLines(contract, { url, walletProviderUrl })),
	];
}

/** What to copy so that ada has a plan armed before the collection comes out. */
function planLines(
	contract: string,
	{ url, walletProviderUrl }: { url: string; walletProviderUrl: string },
): string[] {
	const told = `curl -s ${walletProviderUrl}/_sandbox/token -d '{"userId":"ada"}'`;
	const enrolled = `curl -s -X POST ${url}/v1/trading/enrollment -H "authorization: Bearer $T"`;
	const plan = `snipe ${contract} ${PLAN}`;
	return [
		`plan     T=$(${told} | jq -r .token)`,
		`         T=$(${enrolled} | jq -r .token)`,
		`         TAPELINE_TOKEN=$T bun run svc ask --url ${url} "${plan}"`,
	];
}

/** A bridge to the other chain. */
const BRIDGE = "bridge 0.5 eth from anvil to robinhood as usdg";
const PLAN = "rank 200 for at most 1 eth each with 3 eth in all";
