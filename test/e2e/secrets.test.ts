import { afterAll, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtinPlugins } from "#api/builtinPlugins.ts";
import { sectionsOf } from "#api/service/startService.ts";
import { fieldOf } from "#core/config/fields.ts";
import { isSecretName } from "#core/config/renderConfig.ts";
import { createTestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: whatever the outside world echoes, no log, no error and no answer contains a secret.

const ROOT = join(import.meta.dir, "../..");
/** Returns a value with a character of each kind that URLs, forms and JSON encode differently. */
const odd = (name: string) => `c4n4ry-${name}/+=%"&<>'~`;

const key = generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey;
const pkcs8 = key.export({ format: "der", type: "pkcs8" }).toString("base64");

/** A value for every variable that is secret. */
const secrets: Record<string, string> = {
	ADMIN_API_KEY: odd("admin"),
	BRIDGE_API_KEY: "c4n4ry-bridge/+=%&~",
	BRIDGE_RPC_URLS_JSON: JSON.stringify({ 988: ["https://rpc.example/c4n4ry-of-bridges"] }),
	OPENAI_API_KEY: odd("model"),
	PROVIDER_API_KEY: odd("provider"),
	ROUTER_API_KEY: odd("router"),
	SESSION_SECRET: odd("session-secret-of-32-characters"),
	SOCIAL_API_KEY: odd("social-key"),
	SOCIAL_API_SECRET: odd("social-secret"),
	SOCIAL_BEARER_TOKEN: odd("social-bearer"),
	SOCIAL_CLIENT_ID: odd("social-client"),
	SOCIAL_CLIENT_SECRET: odd("social-client-secret"),
	SOCIAL_OAUTH1_ACCESS_TOKEN: odd("social-oauth1"),
	SOCIAL_OAUTH1_ACCESS_TOKEN_SECRET: odd("social-oauth1-secret"),
	SOCIAL_USER_ACCESS_TOKEN: odd("social-access"),
	SOCIAL_USER_REFRESH_TOKEN: odd("social-refresh"),
	SOCIAL_WEBHOOK_SECRET: odd("social-webhook"),
	WALLET_PROVIDER_APP_SECRET: odd("application"),
	WALLET_PROVIDER_AUTHORIZATION_KEY: `wallet-auth:${pkcs8}`,
	WALLET_PROVIDER_WEBHOOK_SECRET: `whsec_${Buffer.from(odd("webhook")).toString("base64")}`,
};
/** The secret parts of URLs. */
const parts = {
	database: odd("database"),
	redis: odd("redis"),
	node: "c4n4ryNodeKey0123456789",
	user: odd("node-user"),
	query: "c4n4ry-in-a-query",
};
const known = [...Object.values(secrets), ...Object.values(parts), pkcs8];
/** The secrets as they are, and as a URL, a form and JSON encode them. */
const forms = known.flatMap((secret) => [
	secret,
	encodeURIComponent(secret),
	new URLSearchParams({ a: secret }).toString().slice(2),
	JSON.stringify(secret).slice(1, -1),
	secret.replace(/^whsec_/, ""),
]);
const leaksIn = (text: string) => forms.filter((form) => text.includes(form));

let asked = 0;
/**
 * A node, a marketplace, a wallet provider and a model in one server, which repeats all it knows in
 * errors.
 */
const world = Bun.serve({
	port: 0,
	hostname: "127.0.0.1",
	async fetch(request) {
		const heard = `${request.url} ${JSON.stringify([...request.headers])}`;
		// Each answer begins with another secret: only its first words may be quoted.
		asked += 1;
		const said = `refused: ${forms[asked % forms.length]} ${heard} ${forms.join(" ")}`;
		const body = await request.text();
		if (!body.includes('"jsonrpc"')) return Response.json({ errors: [said] }, { status: 500 });
		const calls = [JSON.parse(body)].flat() as { id: number; method: string }[];
		const answers = calls.map(({ id, method }) => ({
			jsonrpc: "2.0",
			id,
			...(method === "eth_chainId"
				? { result: "0x7a69" }
				: { error: { code: -32_000, message: said, data: { said } } }),
		}));
		return Response.json(Array.isArray(JSON.parse(body)) ? answers : answers[0]);
	},
});
const folder = mkdtempSync(join(tmpdir(), "tapeline-secrets-"));
afterAll(async () => {
	await world.stop(true);
	rmSync(folder, { recursive: true });
});

const schemas = sectionsOf(builtinPlugins).all.flatMap(({ schema }) =>
	Object.entries(schema.shape),
);

function environment(databaseUrl: string): Record<string, string> {
	const url = `http://127.0.0.1:${world.port}`;
	const user = encodeURIComponent(parts.user);
	const rpc = `http://u:${user}@127.0.0.1:${world.port}/v2/${parts.node}?key=${parts.query}`;
	return {
		PATH: process.env["PATH"] ?? "",
		...secrets,
		DATABASE_URL: databaseUrl.replace(
			"//tapeline@",
			`//tapeline:${encodeURIComponent(parts.database)}@`,
		),
		REDIS_URL: `redis://:${encodeURIComponent(parts.redis)}@127.0.0.1:1`,
		CHAINS: "anvil",
		CHAIN_RPC_URLS_JSON: JSON.stringify({ anvil: [rpc] }),
		PROVIDER_BASE_URL: url,
		BRIDGE_BASE_URL: url,
		ENABLE_BRIDGING: "true",
		WALLET_PROVIDER_BASE_URL: url,
		WALLET_PROVIDER_APP_ID: "application",
		OPENAI_BASE_URL: url,
		ROUTER_BASE_URL: url,
		AGENT_MODEL: "any",
		TRADING_DRY_RUN: "false",
		PORT: "0",
		LOG_LEVEL: "debug",
	};
}

test("every secret variable has a value in these tests", () => {
	const declared = schemas.filter(([name, schema]) => {
		return fieldOf(schema).declaredSecret || isSecretName(name);
	});
	// Public by nature: this key verifies and signs nothing.
	const others = ["DATABASE_URL", "REDIS_URL", "WALLET_PROVIDER_VERIFICATION_KEY"];
	expect([...new Set(declared.map(([name]) => name))].sort()).toEqual(
		[...Object.keys(secrets), ...others].sort(),
	);
});

test("[SEC-07] no log line, error or answer of the whole service contains a secret", async () => {
	const database = await createTestDatabase();
	const child = Bun.spawn([process.execPath, "api/cli/main/start.ts"], {
		cwd: ROOT,
		env: environment(database.connectionString),
		stdout: "pipe",
		stderr: "pipe",
	});
	let said = "";
	const reading = [child.stdout, child.stderr].map(async (stream) => {
		const decoder = new TextDecoder();
		for await (const chunk of stream) said += decoder.decode(chunk, { stream: true });
	});
	try {
		const base = () => /market\s+(http:\/\/[^/]+)\//.exec(said)?.[1] ?? "";
		await until(
			() => base() !== "" || child.exitCode !== null,
			() => said,
		);
		expect(base()).not.toBe("");
		const answers = await askEverything(base());
		expect(new Set(answers.map(({ status }) => status)).size).toBeGreaterThan(4);
		expect(leaksIn(answers.map(({ text }) => text).join("\n"))).toEqual([]);
		const typed = await fetch(`${base()}/v1/agent/command`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ text: "what would a language model say of that" }),
		});
		expect(leaksIn(await typed.text())).toEqual([]);
		// The errors of the node, the marketplace, the wallet provider and the model arrived in the
		// log.
		const signs = ["refused:", "[redacted]", "the language model gave no usable answer"];
		await until(
			() => signs.every((sign) => said.includes(sign)),
			() => said,
		);
	} finally {
		child.kill("SIGTERM");
		await child.exited;
		await Promise.all(reading);
		await database.drop();
	}
	expect(leaksIn(said)).toEqual([]);
});

type Answer = { status: number; text: string };

/** Calls every route of the document, without a key, with a wrong key and as the operator. */
async function askEverything(base: string): Promise<Answer[]> {
	const document = await (await fetch(`${base}/openapi/json`)).json();
	const answers: Answer[] = [];
	for (const [template, item] of Object.entries<object>(document.paths)) {
		const path = template.replace(/\{[^}]+\}/g, "anvil");
		for (const [method, { parameters = [] }] of Object.entries<any>(item)) {
			// A parameter that a route does not know would be refused before the route runs.
			const takesChain = parameters.some(({ name }: { name: string }) => name === "chain");
			const query = takesChain && !path.includes("/assets/") ? "?chain=anvil" : "";
			for (const apiKey of ["", "a-wrong-key-of-some-length", secrets["ADMIN_API_KEY"] ?? ""]) {
				const headers: Record<string, string> = {
					"content-type": "application/json",
					"x-forwarded-for": `10.0.${answers.length >> 8}.${answers.length & 255}`,
					authorization: "Bearer nobody",
					...(apiKey && { "x-api-key": apiKey }),
				};
				const body = /get|head/.test(method) ? null : "{}";
				const response = await fetch(`${base}${path}${query}`, {
					method: method.toUpperCase(),
					headers,
					body,
				});
				const text = `${JSON.stringify([...response.headers])} ${await response.text()}`;
				answers.push({ status: response.status, text });
			}
		}
	}
	return answers;
}

test("[SEC-07] the error of a failing start contains no secret", async () => {
	const plugin = join(folder, "plugin.ts");
	const env = environment("postgresql://tapeline@127.0.0.1:1/tapeline");
	const thrown = `throw new Error(${JSON.stringify(forms.join(" "))}, { cause: process.env });`;
	writeFileSync(plugin, thrown);
	for (const given of [
		{ ...env, PLUGINS: plugin },
		{ ...env, SESSION_SECRET: odd("short"), PORT: "x" },
		{ ...env, DATABASE_URL: `postgres://u:${odd("database")}@127.0.0.1:1/x` },
		{ ...env, REDIS_URL: `redis://u:${odd("redis")}@127.0.0.1:1/x` },
		env,
	]) {
		const child = Bun.spawn([process.execPath, "api/cli/main/start.ts"], {
			cwd: ROOT,
			env: given,
			stdout: "pipe",
			stderr: "pipe",
		});
		const [out, err] = await Promise.all([
			new Response(child.stdout).text(),
			new Response(child.stderr).text(),
		]);
		expect(await child.exited).toBeGreaterThan(0);
		expect(err.length).toBeGreaterThan(20);
		expect(leaksIn(out + err)).toEqual([]);
		expect(out + err).not.toContain("c4n4ry-short");
	}
});
