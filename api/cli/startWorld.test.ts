import { expect, test } from "bun:test";
import { type World, worldLines } from "#api/cli/startWorld.ts";

const world = {
	httpUrl: "http://127.0.0.1:1",
	home: { chainId: 4663, httpUrl: "http://127.0.0.1:3", wsUrl: "ws://127.0.0.1:3", firstBlock: 1 },
	stable: { chainId: 988, httpUrl: "http://127.0.0.1:7" },
	walletProviderUrl: "http://127.0.0.1:2",
	reveals: [] as string[],
	studioUrl: "http://127.0.0.1:7",
	socialUrl: "http://127.0.0.1:6",
	social: { botUsername: "tapeline_bot" } as World["social"],
	stocks: {
		assetsUrl: "http://127.0.0.1:4",
		routerUrl: "http://127.0.0.1:5/v1",
		routerKey: "",
		pools: [],
		v4Pools: [],
		feeds: {},
	},
};

const url = "http://127.0.0.1:4000";

test("a sandbox prints the addresses of its chains and wallet provider, and how to get a token", () => {
	const own = {
		url,
		hasOwnWallets: true,
		hasOwnStocks: true,
		hasOwnSocial: false,
		hasTrades: true,
	};
	const [rpc, home, stocks, wallets, token] = worldLines(world, own);
	expect(rpc).toStartWith("RPC      http://127.0.0.1:1 ");
	expect(home).toStartWith("home     http://127.0.0.1:3  (chain 4663, ");
	expect(stocks).toStartWith("stocks   http://127.0.0.1:4/rhj/assets ");
	expect(wallets).toStartWith("wallets  http://127.0.0.1:2 ");
	expect(token).toBe(`token    curl -s http://127.0.0.1:2/_sandbox/token -d '{"userId":"ada"}'`);
});

test("a key of operators that was made for the start is printed, and a configured one is not", () => {
	const own = {
		url,
		hasOwnWallets: true,
		hasOwnStocks: false,
		hasOwnSocial: false,
		hasTrades: false,
	};
	const adminKey = "sandbox-0123456789abcdef";
	expect(worldLines(world, { ...own, adminKey })).toContain(
		`admin    curl -s ${url}/v1/admin/trading/intents -H "x-api-key: ${adminKey}"`,
	);
	expect(worldLines(world, own).join("\n")).not.toContain("x-api-key");
});

test("the sandbox's wallet provider is not printed if another is configured", () => {
	const lines = worldLines(world, {
		url,
		hasOwnWallets: false,
		hasOwnStocks: false,
		hasOwnSocial: false,
		hasTrades: true,
	});
	expect(lines.join("\n")).not.toMatch(/127\.0\.0\.1:[2456]\b/);
	expect(lines).toHaveLength(2);
});

test("a collection that is soon revealed is printed, with the route that watches it", () => {
	const reveals = ["0x00000000000000000000000000000000000000aa"];
	for (const hasOwnWallets of [true, false]) {
		const lines = worldLines(
			{ ...world, reveals },
			{ url, hasOwnWallets, hasOwnStocks: false, hasOwnSocial: false, hasTrades: true },
		);
		const [named] = lines.filter((line) => line.startsWith(`reveals  ${reveals[0]} `));
		expect(named).toContain("/v1/nft-market/reveals");
		expect(lines.filter((line) => line.startsWith("another  "))).toHaveLength(1);
		// Nobody could sign in with the sandbox's token where another wallet provider is configured.
		expect(lines.join("\n").includes("svc ask")).toBe(hasOwnWallets);
	}
});

test("an example of a trade is printed if the service trades the sandbox's stocks", () => {
	const has = { url, hasOwnWallets: true, hasOwnStocks: true, hasOwnSocial: false };
	const lines = worldLines(world, { ...has, hasTrades: true });
	expect(lines.at(-1)).toEndWith(`svc ask --url ${url} "buy TSLA with 50 USDG"`);
	expect(worldLines(world, { ...has, hasTrades: false }).join("\n")).not.toContain("TSLA");
});

test("an example of a bridge is printed if the sandbox's wallets can send", () => {
	const bridges = (hasOwnWallets: boolean) => {
		const has = { url, hasOwnWallets, hasOwnStocks: false, hasTrades: false, hasOwnSocial: false };
		return worldLines(world, has).filter((line) => line.includes('"bridge 0.5 eth from anvil to '));
	};
	expect(bridges(true)).toHaveLength(1);
	expect(bridges(false)).toEqual([]);
});

test("the sandbox's X is printed with an example of a mention, unless another X is configured", () => {
	const has = { url, hasOwnWallets: true, hasOwnStocks: true, hasTrades: true };
	const lines = worldLines(world, { ...has, hasOwnSocial: true }).join("\n");
	expect(lines).toContain("X        http://127.0.0.1:6 ");
	expect(lines).toContain(
		`mention  curl -s http://127.0.0.1:6/_sandbox/posts -d '{"by":"ada","text":"@tapeline_bot floor kiln-folk"}'`,
	);
	expect(worldLines(world, { ...has, hasOwnSocial: false }).join("\n")).not.toContain(":6");
});
