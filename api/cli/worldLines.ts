import type { World } from "#api/cli/startWorld.ts";

type WorldPart =
	| "httpUrl"
	| "home"
	| "stable"
	| "walletProviderUrl"
	| "reveals"
	| "studioUrl"
	| "stocks"
	| "socialUrl"
	| "social";

/** Where the service is, and which of its upstreams are the sandbox's. */
type Told = {
	url: string;
	hasOwnWallets: boolean;
	hasOwnStocks: boolean;
	hasOwnSocial: boolean;
	/** The service trades stocks. */
	hasTrades: boolean;
};

/**
 * What the banner says of a sandbox beside the API: its ports are new at each start, and without
 * them nobody could trade in it.
 */
export function worldLines(
	{
		httpUrl,
		home,
		stable,
		walletProviderUrl,
		reveals,
		studioUrl,
		stocks,
		...x
	}: Pick<World, WorldPart>,
	{ url, hasOwnWallets, hasOwnStocks, hasOwnSocial, hasTrades }: Told,
): readonly string[] {
	const rpc = `RPC      ${httpUrl}  (anvil's first ten accounts have ether)`;
	const own = `home     ${home.httpUrl}  (chain ${home.chainId}, where wallets send; the same ten)`;
	const soon = reveals.map((contract) => {
		return `reveals  ${contract}  (within three minutes: /v1/nft-market/reveals)`;
	});
	const more = `another  curl -s ${studioUrl}/_sandbox/reveals -d '{"kind":"silent","afterMs":120000}'`;
	if (soon.length > 0) soon.push(more);
	const listed = `stocks   ${stocks.assetsUrl}/rhj/assets  (trade at ${stocks.routerUrl}, on home)`;
	const traded = hasOwnStocks ? [listed] : [];
	const said = hasOwnSocial ? mentioned(x) : [];
	const at = { url, walletProviderUrl };
	if (!hasOwnWallets) return [rpc, own, ...traded, ...said, ...soon];
	return [
		rpc,
		own,
		...traded,
		`wallets  ${walletProviderUrl}  (ada, ben and cleo have ether on both, USDG and stocks)`,
		`token    curl -s ${walletProviderUrl}/_sandbox/token -d '{"userId":"ada"}'`,
		...said,
		...soon,
		`stable   ${stable.httpUrl}  (chain ${stable.chainId}: bridges of the mode degen_2_stable end there)`,
		...asked({ what: "bridge", command: BRIDGE, ...at }),
		...(hasOwnStocks && hasTrades ? asked({ what: "trade", command: TRADE, ...at }) : []),
		...reveals
			.slice(0, 1)
			.flatMap((contract) => asked({ what: "plan", command: `snipe ${contract} ${PLAN}`, ...at })),
	];
}

/** Where X is, and what to copy so that ada names the bot there. */
function mentioned({ socialUrl, social }: Pick<World, "socialUrl" | "social">): string[] {
	const text = `{"by":"ada","text":"@${social.botUsername} floor kiln-folk"}`;
	return [
		`X        ${socialUrl}  (the conversation, as a page)`,
		`mention  curl -s ${socialUrl}/_sandbox/posts -d '${text}'`,
	];
}

/** What to copy so that ada trades, or has a plan armed before the collection comes out. */
function asked({
	what,
	command,
	url,
	walletProviderUrl,
}: {
	what: "trade" | "plan" | "bridge";
	command: string;
	url: string;
	walletProviderUrl: string;
}): string[] {
	const told = `curl -s ${walletProviderUrl}/_sandbox/token -d '{"userId":"ada"}'`;
	const enrolled = `curl -s -X POST ${url}/v1/trading/enrollment -H "authorization: Bearer $T"`;
	return [
		`${what.padEnd(8)} T=$(${told} | jq -r .token)`,
		`         T=$(${enrolled} | jq -r .token)`,
		`         TAPELINE_TOKEN=$T bun run svc ask --url ${url} "${command}"`,
	];
}

/** A bridge to the other chain. */
const BRIDGE = "bridge 0.5 eth from anvil to robinhood as usdg";
const PLAN = "rank 200 for at most 1 eth each with 3 eth in all";
/** Without its `$`: a shell would read that. */
const TRADE = "buy TSLA with 50 USDG";
