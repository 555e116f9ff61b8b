import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Hex, keccak256 } from "viem";
import { sealEntry } from "#core/audit/book.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { deploySeaport } from "#test/harness/seaport.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { socialEnv } from "#test/sandbox/social/SocialFault.ts";
import { startSocialEmulator } from "#test/sandbox/social/startSocialEmulator.ts";
import { operatorChanges } from "./operatorChanges.ts";

// Guarantee: every change by an operator, by whatever route, is in the audit log with who made it;
// what is refused changes nothing and leaves no entry.

const KEY = "a-key-of-operators-in-this-test";
const ACTOR = "ann (on call)";
const ADMIN = "/v1/admin/";
const SEAL = sealEntry.action;

let anvil: Anvil;
let service: TestService;
let x: ReturnType<typeof startSocialEmulator>;
let changes: ReturnType<typeof operatorChanges>;
/** The operators' routes that change something: their method and path. */
let routes: string[];

beforeAll(async () => {
	x = startSocialEmulator({ nowMs: () => Date.now() });
	anvil = await startAnvil();
	const { tokens } = await deploySeaport(anvil);
	service = await startTestService({
		chain: anvil,
		env: { ADMIN_API_KEY: KEY, ...socialEnv(x.url, x.access) },
	});
	const { db } = service.core;
	const code = await anvil.rpc<Hex>("eth_getCode", [tokens.coin, "latest"]);
	changes = operatorChanges({
		...{ db, token: tokens.coin, codeHash: keccak256(code), webhookId: x.access.webhookId },
	});
	const { body } = await service.get("/openapi/json");
	routes = Object.entries<any>(body.paths).flatMap(([path, item]) =>
		Object.keys(item)
			.filter((method) => path.startsWith(ADMIN) && method !== "get")
			.map((method) => `${method.toUpperCase()} ${path}`),
	);
});
afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
	await anvil?.stop();
	await x?.stop();
});

/** Reads the log, without the seals: the service sets those by its clock, whoever changes what. */
async function entries(): Promise<any[]> {
	const rows = await service.core.db.query<{ entry: string }>(
		"select entry from core.audit_entry order by seq",
	);
	return rows.map(({ entry }) => JSON.parse(entry)).filter(({ action }) => action !== SEAL);
}

async function send(
	route: string,
	{ id = "", body }: { id?: string; body: unknown },
	headers: Record<string, string>,
): Promise<number> {
	const [method = "", path = ""] = route.split(" ");
	const response = await fetch(`${service.url}${path.replace(/\{\w+\}/, id)}`, {
		method,
		headers: { "content-type": "application/json", ...headers },
		body: JSON.stringify(body),
	});
	await response.text();
	return response.status;
}

test("[SEC-01] every change by an operator is audited with who made it; what is refused changes nothing", async () => {
	expect(routes.filter((route) => !(route in changes))).toEqual([]);
	expect(routes.length).toBe(Object.keys(changes).length);
	const operator = { "x-api-key": KEY, "x-admin-actor": ACTOR };
	for (const route of routes) {
		const change = await changes[route]?.();
		if (!change) continue;
		const { state, action, subject } = change;
		const read = async () => JSON.stringify(state && (await service.core.db.query(state)));
		const [before, told] = [await read(), (await entries()).length];
		const attempts = [
			[{ ...change, isTheirs: false }, {}],
			[
				{ ...change, isTheirs: false },
				{ "x-api-key": "wrong", "x-admin-actor": ACTOR },
			],
			[{ isTheirs: false, ...change.refused }, operator],
		] as const;
		for (const [asked, headers] of attempts) {
			if (asked.isTheirs) x.fault({ kind: "status", status: 403 });
			expect([route, await send(route, asked, headers)]).not.toEqual([route, 200]);
			x.clearFaults();
			expect([route, await read()]).toEqual([route, before]);
		}
		expect([route, (await entries()).length]).toEqual([route, told]);

		expect([route, await send(route, change, operator)]).toEqual([route, 200]);
		const written = (await entries()).slice(told);
		expect([route, written]).toEqual([
			route,
			[expect.objectContaining({ actor: `operator:${ACTOR}`, action, subject })],
		]);
		if (state) expect([route, await read()]).not.toEqual([route, before]);
	}
});
