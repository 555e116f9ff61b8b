import { eachFile, findInCode, isTestFile, type Rule, type SourceFile } from "#test/tidy/Rule.ts";

type Home = { what: string; pattern: RegExp; home: string; instead: string };

const HOMES: Home[] = [
	{
		what: "the time",
		pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)/,
		home: "core/clock.ts",
		instead: "take a Clock",
	},
	{
		what: "chance",
		pattern: /\bMath\.random\b/,
		home: "core/clock/systemRandom.ts",
		instead: "take a random source, or use node:crypto where nobody may guess",
	},
	{
		what: "the environment",
		pattern: /\bprocess\.env\b|\bBun\.env\b|\bimport\.meta\.env\b/,
		home: "core/config/readEnvironment.ts",
		instead: "declare the variable in a config schema",
	},
];

/** A test may read the clock; what it draws it must be able to draw again. */
const OF_TESTS: Home = {
	what: "a seed",
	pattern: /\bMath\.random\b/,
	home: "test/harness/testSeed.ts",
	instead: "draw by createPrng(TEST_SEED) or by fast-check",
};

/** The browser has its own clock, and no test holds it still. */
const BROWSER = "plugins/terminal/web/";

export const homes: Rule = {
	name: "homes",
	why: "the world comes in by the door: what takes a clock as an argument can be tested",
	check: eachFile(({ path, code }) =>
		path.startsWith(BROWSER)
			? []
			: (isTestFile(path) ? [OF_TESTS] : HOMES)
					.filter(({ home }) => home !== path)
					.flatMap(({ what, pattern, home, instead }) =>
						findInCode(code, pattern).map((line) => ({
							line,
							message: `${what} is read in ${home} only; ${instead}`,
						})),
					),
	),
	bad: [
		[{ path: "core/a.ts", text: "const now = Date.now();" }],
		[{ path: "core/a.ts", text: "const now = new Date();" }],
		[{ path: "plugins/a/x.ts", text: "const dice = Math.random();" }],
		[{ path: "core/a.test.ts", text: "const dice = Math.random();" }],
		[{ path: "test/sandbox/x.ts", text: "const dice = Math.random();" }],
		[{ path: "api/cli/x.ts", text: "const port = process.env.PORT;" }],
		[{ path: "api/cli/x.ts", text: "const port = Bun.env.PORT;" }],
		// biome-ignore lint/suspicious/noTemplateCurlyInString: the text is a program.
		[{ path: "core/a.ts", text: "const text = `${Date.now()}`;" }],
	],
	good: [
		[{ path: "core/clock.ts", text: "const now = Date.now();" }],
		[{ path: "core/config/readEnvironment.ts", text: "const env = process.env;" }],
		[{ path: "core/a.test.ts", text: "const now = Date.now();" }],
		[{ path: "test/sandbox/x.ts", text: "const now = Date.now();" }],
		[{ path: "core/a.ts", text: "// Date.now()\nconst a = 'Date.now()', b = new Date(0);" }],
	],
};

/** Who may call out by itself, and whom. Whatever else calls, calls `core/foreign`. */
const WAYS_OUT_HOMES: Record<string, string> = {
	"core/foreign/requestOnce.ts": "the guarded call itself",
	"core/foreign/resolve.ts": "the names that strangers and that the operator chose",
	"core/db/openGatheringSocket.ts": "the operator's database",
	"core/chain/rpc/httpRpc.ts": "the operator's nodes",
	"core/chain/heads/openHeadSocket.ts": "the operator's nodes",
	"plugins/reveal-snipe/watch/openWire.ts": "the operator's nodes",
	"plugins/provider/stream/createProviderStream.ts": "the operator's provider",
	"plugins/trading/registry/createIssuerList.ts": "the issuer's list that the operator names",
	"plugins/custody/caller.ts": "the operator's wallet provider",
	"plugins/trading/quotes/createHostedRouter.ts": "the operator's hosted router",
	"plugins/social/x/callX.ts": "the operator's X",
	"plugins/bridge/relay/createRelayClient.ts": "the operator's bridge provider",
	"agent/model/createModelReader.ts": "the operator's language model",
	"agent/askCommand.ts": "the service of whoever types the command",
	"core/http/faults.ts": "names of statuses, calls nobody",
	"core/http/call.ts": "the one caller of servers that the operator named",
	"plugins/provider/client/sendCall.ts": "the operator's provider",
};

/** Runs in a browser, which has its own guards and no private network of ours. */
const WAYS_OUT_BROWSER = /^plugins\/(terminal|link-page)\/web\//;

const MODULES =
	/^((node:)?(http|https|http2|net|tls|dgram|dns|dns\/promises)|undici|ws|axios|got|node-fetch)$/;

/** The guarded call without its guards, and the caller that has none: the URL is its caller's. */
const UNGUARDED = /^core\/(foreign\/(requestOnce|resolve)|http\/call)\.ts$/;

const CALLS = [
	// The global itself, called or handed on; neither a type nor a property of that name.
	/(?<![.\w$])(?<!typeof\s+)fetch\b(?!\s*\??\s*:)/,
	/\b(globalThis|window|self|Bun)\s*\??\.\s*(fetch|WebSocket|connect|udpSocket|dns|s3)\b/,
	/\b(new\s+|construct\(\s*)(WebSocket|EventSource|XMLHttpRequest|S3Client)\b/,
];

export const waysOut: Rule = {
	name: "waysOut",
	why: "a URL that a stranger chose is reached through core/foreign only: it may lead inward",
	check: eachFile((file) => {
		const { path } = file;
		if (isTestFile(path) || WAYS_OUT_BROWSER.test(path) || Object.hasOwn(WAYS_OUT_HOMES, path))
			return [];
		return linesOf(file).map((line) => ({
			line,
			message: "calls out by itself: use core.foreignFetch, or say in homes.ts whom it calls",
		}));
	}),
	bad: [
		[{ path: "plugins/a/x.ts", text: "const got = await fetch(url);" }],
		[{ path: "plugins/a/x.ts", text: "const { ask = fetch } = options;" }],
		[{ path: "plugins/a/x.ts", text: "start({ fetch });" }],
		[{ path: "agent/x.ts", text: "const got = await globalThis.fetch(url);" }],
		[{ path: "agent/x.ts", text: "const got = await Bun.fetch(url);" }],
		[{ path: "api/x.ts", text: 'import { get } from "node:https";' }],
		[{ path: "api/x.ts", text: 'import { lookup } from "dns/promises";' }],
		[{ path: "api/x.ts", text: 'import { request } from "undici";' }],
		[{ path: "api/x.ts", text: 'import { requestOnce } from "#core/foreign/requestOnce.ts";' }],
		[{ path: "plugins/a/x.ts", text: 'import { callOut } from "#core/http/call.ts";' }],
		[{ path: "core/x.ts", text: "const socket = new WebSocket(url);" }],
		[{ path: "core/x.ts", text: "Reflect.construct(WebSocket, [url]);" }],
		[{ path: "core/foreign/x.ts", text: "Bun.connect({ hostname, port, socket });" }],
	],
	good: [
		[{ path: "core/chain/rpc/httpRpc.ts", text: "const got = await fetch(url);" }],
		[{ path: "plugins/custody/caller.ts", text: 'import { callOut } from "#core/http/call.ts";' }],
		[{ path: "core/a.ts", text: "type Options = { fetch?: typeof fetch };" }],
		[{ path: "core/a.ts", text: "serve({ fetch: (request) => app.fetch(request) });" }],
		[{ path: "core/a.ts", text: 'import type { Socket } from "node:net";' }],
		[{ path: "core/a.ts", text: "// fetch(url)\nconst text = 'fetch(url)', refetch = prefetch;" }],
		[{ path: "core/a.ts", text: "if (socket.readyState === WebSocket.OPEN) send();" }],
		[{ path: "core/a.test.ts", text: "const got = await fetch(url);" }],
		[{ path: "test/sandbox/x.ts", text: 'import { connect } from "node:net";' }],
	],
};

function linesOf({ path, code, imports }: SourceFile): number[] {
	const called = CALLS.flatMap((pattern) => findInCode(code, pattern));
	const isGuard = path.startsWith("core/foreign/");
	const imported = imports.filter(({ specifier, target = "", typeOnly }) => {
		return !typeOnly && (MODULES.test(specifier) || (!isGuard && UNGUARDED.test(target)));
	});
	return [...called, ...imported.map(({ line }) => line)];
}

/** A member of a schema of settings: its name is a variable of the environment. */
const SETTING = /(?<=\n)\t+[A-Z][A-Z0-9_]{3,}: (?:z\b|[a-z]\w*\()/;

/** A schema says what a setting is for, which a list of values does not. */
const DESCRIBED = /\.describe\(/;

const SETTINGS_HOMES = /(^|\/)(plugin|limits|\w+Config)\.ts$/;

export const settings: Rule = {
	name: "settings",
	why: "an operator's reader finds all settings of a plugin where the house says they are",
	check: eachFile(({ path, code }) => {
		const isElsewhere = !isTestFile(path) && !SETTINGS_HOMES.test(path) && DESCRIBED.test(code);
		return (isElsewhere ? findInCode(code, SETTING) : []).map((line) => ({
			line,
			message: "settings are declared in plugin.ts, limits.ts or …Config.ts",
		}));
	}),
	bad: [
		[{ path: "plugins/a/x.ts", text: 'const c = {\n\tA_MAX: z.int().describe("The most."),\n};' }],
	],
	good: [
		[{ path: "plugins/a/limits.ts", text: 'const c = {\n\tA_MAX: z.int().describe("x"),\n};' }],
		[{ path: "api/x.ts", text: 'const c = {\n\tA_MAX: one("x"),\n};' }],
	],
};
