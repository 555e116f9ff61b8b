import { expect, test } from "bun:test";
import { planSteps } from "#plugins/reveal-snipe/model.ts";
import { stepNames } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { kindSteps, stepsEndedElsewhere } from "#test/e2e/kills/KillScenario.ts";
import type { SourceFile } from "#test/tidy/Rule.ts";
import { projectFiles, readSourceFile } from "#test/tidy/readSourceFile.ts";

// Guarantee: the list of points at which processes are killed is complete. A commit or an outbound
// call on the execution path outside a named step fails here.

/** The files of the execution path: those that run between a request and its last receipt. */
const PATH = new RegExp(
	"^(?:core/db/createCommits|core/chain/reads/|plugins/(?:" +
		"wallets/(?:allowance|plan)\\.|" +
		"wallets/(?:cancel|execution|reconcile|resolve|submission|intent|once|link|settle|spend|chain)/|" +
		"bridge/(?:bridges|direct|operator|reconcile)/|bridge/plugin|" +
		"transfers/|nft-buys/|reveal-snipe/plans/|trading/(?:openTrades|swap/|trade/|quotes/)|" +
		"tokenomics/buyback/))",
);
const OFF_THE_PATH = /\.test\.ts$|\/(?:testing|web|abi|migrations)\//;

/** Code that calls out, or that commits something. */
const OUT = [
	/\.transaction\(/,
	/\.together\(/,
	/\brpc\??\.(?:call|batch|settle)\(/,
	/\bcustody\.(?!isOn\b|verifyAccessToken\b)\w+\(/,
	/\bprovider\.\w+\(/,
	/\brelay\.\w+\(/,
	/\bfetch\(/,
	/\bcallOut\(/,
	/\b(?:takeEvaluation|endEvaluation|movePlan)\(/,
	/\b(?:keepOfTrade|insertQuotes)\((?!tx\b)/,
	/\b(?:readAccount|readReceipts?|readBlocks|findByNonce|readSentSince|readBlockBefore|isAllKnown|readNonceAt|sendSigned|readOrderState|readFunds|ownershipDenial|readAllowance|measureChange|settleToken|readKeeper|findGone|assessMarket|supplyFell)\(/,
];
/** A statement outside a transaction; one inside a transaction becomes permanent by its commit. */
const STATEMENT = /\bdb\.(?:query|execute)(?=[<(])/;
const WRITES = /\b(?:insert|update|delete)\b/i;

/** Not on the path: whether and when these run changes nothing for any intent. */
const BESIDE_THE_PATH: Readonly<Record<string, string>> = {
	"plugins/nft-buys/listing.ts:findCheapest": "chooses a token before anything is recorded",
	"plugins/transfers/sendToken.ts:readCoin":
		"asks a token for its decimals before anything is recorded",
	"core/chain/reads/readFinalLogs.ts": "keeps books of what is final, beside every payment",
	"plugins/trading/trade/assessTrade.ts:quoteFor": "reads and quotes before anything is recorded",
	"plugins/trading/trade/createRevokes.ts:createRevokes": "reads an allowance to show it",
	"plugins/wallets/link/createLinks.ts:pruneLinksJob": "deletes links that can be used no more",
	"plugins/wallets/submission/strays.ts:noteBlackout":
		"notes at the start, before any intent is taken, since when wallets are to be read",
	"plugins/wallets/submission/strays.ts:noteFailover":
		"notes beside any intent since when wallets are to be read",
	"plugins/wallets/reconcile/looks.ts:wakeSubmission": "has a look come sooner, which comes anyway",
};

/**
 * Needs no step of its own: these functions make the calls, and their callers are inside a step,
 * which is checked at the call. `file#name` is called in that file alone, `file:name` by others.
 */
const INSIDE_THEIR_CALLERS: Readonly<Record<string, string>> = {
	"plugins/wallets/chain/readAccount.ts": "called in rpc.account and rpc.nonce",
	"plugins/wallets/chain/readReceipts.ts": "called in rpc.receipt",
	"plugins/wallets/chain/readSentSince.ts": "called in rpc.nonce",
	"plugins/wallets/chain/secondOpinion.ts": "called in rpc.nonce",
	"core/chain/reads/readBlocks.ts": "called in rpc.receipt, rpc.nonce and rpc.rebroadcast",
	"core/chain/reads/shareRpc.ts": "called in the step of each who shares the request",
	"core/db/createCommits.ts": "called in the step of each who shares the commit",
	"plugins/wallets/reconcile/reconcileJobs.ts#readOpen": "called in commit.look",
	"plugins/wallets/execution/handOver.ts#send": "called in custody.send",
	"plugins/wallets/link/createLinks.ts#insert": "called in commit.link",
	"plugins/wallets/settle/arrived.ts": "called in transfer.arrival and each other kind's own",
	"plugins/transfers/sendToken.ts:settleToken": "called in transfer.arrival",
	"plugins/trading/swap/tradeKind.ts:holdAgainstBalances": "called in trade.arrival",
	"plugins/nft-buys/listing.ts:readOrderState": "called in nft_buy.order_state",
	"plugins/nft-buys/listing.ts:readFunds": "called in nft_buy.funds",
	"plugins/wallets/allowance.ts#readAllowance": "called in allowance.read",
	"plugins/nft-buys/kinds.ts:callsAt": "called in nft_buy.ownership",
	"plugins/nft-buys/kinds.ts:unitsDenial": "called in nft_buy.ownership",
	"plugins/bridge/reconcile/createChainReaders.ts:createChainReaders":
		"called in bridge.allowance; else reads what is shown",
	"plugins/bridge/reconcile/createChainReaders.ts:ownReader":
		"called in bridge.allowance; else reads what is shown",
	"plugins/bridge/bridges/quoteBridge.ts": "called in bridge.quote",
	"plugins/bridge/reconcile/looks.ts:searchByDeposit": "called in bridge.status",
	"plugins/trading/swap/judgeRoute.ts:readFunds": "called in trade.funds",
	"plugins/trading/swap/judgeRoute.ts:sideOf": "called in trade.quote",
	"plugins/tokenomics/buyback/assessMarket.ts": "called in buyback.market and buyback.turn",
	"plugins/tokenomics/buyback/followRuns.ts:findGone": "called in buyback.turn",
	"plugins/tokenomics/buyback/readPools.ts": "called in buyback.market and buyback.turn",
	"plugins/tokenomics/buyback/readKeeper.ts": "called in buyback.keeper and buyback.turn",
	"plugins/tokenomics/buyback/settleBuyback.ts": "called in buyback.supply",
	"plugins/tokenomics/buyback/takeTurn.ts#findRun": "called in buyback.turn",
	"plugins/trading/quotes/createLocalQuoter.ts": "called in trade.quote",
	"plugins/trading/quotes/createHostedRouter.ts": "called in trade.quote",
	"plugins/trading/quotes/v4Quoter.ts:createV4Quoter": "called in trade.quote",
};

/** Returns the spans from each `run(` and `outbound(` to its closing bracket. */
function stepsIn(code: string): { from: number; to: number }[] {
	return [...code.matchAll(/\b(?:steps\s*\.run|outbound)\(/g)].map(({ index }) => {
		let depth = 0;
		let to = code.indexOf("(", index);
		for (; to < code.length; to++) {
			if (code[to] === "(") depth++;
			if (code[to] === ")" && --depth === 0) break;
		}
		return { from: index, to };
	});
}

/** Returns the name of the top-level function around a position. */
function functionAt(code: string, place: number): string {
	const names = [...code.slice(0, place).matchAll(/^(?:export )?(?:async )?function (\w+)/gm)];
	return names.at(-1)?.[1] ?? "";
}

/** Returns the calls that go out, or commit, outside every step. */
function unlisted({ path, code, text }: SourceFile): string[] {
	const steps = stepsIn(code);
	const statements = [...code.matchAll(new RegExp(STATEMENT, "g"))].filter(({ index }) => {
		const end = code.indexOf(";", index);
		return WRITES.test(text.slice(index, end < 0 ? undefined : end));
	});
	const calls = OUT.flatMap((pattern) => [...code.matchAll(new RegExp(pattern, "g"))]);
	return [...statements, ...calls].flatMap(({ index, 0: call }) => {
		const isDeclared = /function\s+$/.test(code.slice(0, index));
		const isInside = steps.some(({ from, to }) => from < index && index < to);
		if (isDeclared || isInside) return [];
		const name = functionAt(code, index);
		const keys = [path, `${path}#${name}`, `${path}:${name}`];
		if (keys.some((key) => key in INSIDE_THEIR_CALLERS || key in BESIDE_THE_PATH)) return [];
		const line = code.slice(0, index).split("\n").length;
		return [`${path}:${line} ${call} in ${name}`];
	});
}

const onThePath = (await projectFiles()).filter(({ path }) => {
	return PATH.test(path) && !OFF_THE_PATH.test(path) && !(path in BESIDE_THE_PATH);
});

test("every commit and every outbound call of the payment path is inside a named step", () => {
	expect(onThePath.length).toBeGreaterThan(80);
	expect(onThePath.flatMap(unlisted)).toEqual([]);
});

test("each listed function that calls out within its callers' steps still exists and still does so", () => {
	for (const place of Object.keys(INSIDE_THEIR_CALLERS)) {
		const [path, name] = place.split(/[#:]/);
		const file = onThePath.find((one) => one.path === path);
		expect([place, file?.code.includes(name ? `function ${name}(` : "(")]).toEqual([place, true]);
		if (name && place.includes("#")) {
			// It is called in a step, and nowhere else.
			const code = file?.code ?? "";
			const steps = stepsIn(code);
			const uses = [...code.matchAll(new RegExp(`(?<!function |\\.)\\b${name}\\(`, "g"))];
			const outside = uses.filter(({ index }) => {
				return !steps.some(({ from, to }) => from < index && index < to);
			});
			expect([place, uses.length > 0, outside.length]).toEqual([place, true, 0]);
		}
	}
});

test("every name on the list belongs to a step, and every step has a name on the list", () => {
	const named = onThePath.flatMap(({ code, text }) =>
		stepsIn(code).flatMap(({ from, to }) => {
			return /\(\s*"([\w.]+)"/.exec(text.slice(from, to + 1))?.[1] ?? [];
		}),
	);
	const used = new Set(named);
	const listed = [...stepNames, ...kindSteps, ...stepsEndedElsewhere, ...planSteps];
	expect([...used].sort()).toEqual([...new Set(listed)].sort());
});

test("every file that registers a kind of intent is among the checked files", async () => {
	const registering = (await projectFiles()).filter(({ path, code }) => {
		const isProduct = path.startsWith("plugins/") && !OFF_THE_PATH.test(path);
		return isProduct && /\bexecution\.register\(/.test(code);
	});
	expect(registering.map(({ path }) => path).sort()).toEqual([
		// Killed at each of its own steps: `test/e2e/bridges/killedBridges.test.ts`.
		"plugins/bridge/plugin.ts",
		"plugins/nft-buys/plugin.ts",
		"plugins/tokenomics/buyback/openBuyback.ts",
		"plugins/trading/openTrades.ts",
		"plugins/transfers/plugin.ts",
		"plugins/wallets/createWallets.ts",
	]);
});

test("a call outside of a step is found", () => {
	const wrong = [
		"async function pay() { await world.db.transaction((tx) => write(tx)); }",
		"async function pay() { await world.commits.together(id, (tx) => write(tx)); }",
		"async function pay() { await world.custody.send(request); }",
		"async function pay() { await rpc.call(request); }",
		"async function pay() { await db.execute(`update wallets.intent set status = 1`); }",
		"async function pay() { await db.query<Row>(`insert into x values (1) returning y`); }",
		'async function pay() { await steps.run("a", async () => {}); await provider.order(1); }',
		"async function pay() { await fetch(url); }",
		"async function pay() { await readReceipt(rpc, asked); }",
		"async function pay() { await keepOfTrade(deps.db, kept); }",
	];
	for (const text of wrong) {
		expect([text, unlisted(readSourceFile("plugins/transfers/x.ts", text)).length]).toEqual([
			text,
			1,
		]);
	}
	const right = [
		'await steps.run("commit.found", () => world.db.transaction((tx) => write(tx)));',
		'await outbound("a.b", () => provider.order({ hash: "a)b" }, options));',
		"const rows = await db.query<Row>(`select 1 from wallets.intent`);",
		"await tx.execute(`update wallets.intent set status = 1`);",
		"await insertQuotes(tx, id, rows);",
	];
	for (const text of right) {
		expect([text, unlisted(readSourceFile("plugins/transfers/x.ts", text))]).toEqual([text, []]);
	}
});
