import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Database } from "#core/db/Database.ts";
import { createOriginPolicy } from "#core/http/createOriginPolicy.ts";
import { httpFault } from "#core/http/faults.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log.ts";
import { transferRoutes } from "#plugins/transfers/routes.ts";
import { transferKind } from "#plugins/transfers/transferKind.ts";
import type { Principal, Wallets } from "#plugins/wallets/contract.ts";
import { createLinks } from "#plugins/wallets/link/createLinks.ts";
import { linkRoutes, requireOwnPage } from "#plugins/wallets/link/linkRoutes.ts";
import { cancelForOwner } from "#plugins/wallets/link/useLink.ts";
import { readProfile } from "#plugins/wallets/profile/sql.ts";
import { CHAIN_ID, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";

export type Asked = { status: number; headers: Headers; text: string; body: any };
export type AskOptions = {
	method?: string;
	body?: unknown;
	by?: Person;
	key?: string;
	headers?: Record<string, string>;
};

/**
 * Opens the routes of wallet transfers and links over the execution lab. A bearer token is a
 * profile's id.
 */
export function openTransfersLab(db: Database) {
	const lab = openExecutionLab(db);
	const chains = createChainRegistry(builtinChains);
	const chain = chains.byId(CHAIN_ID);
	if (!chain) throw new Error("no such chain");
	const ending = new AbortController().signal;
	const links = createLinks({ ...lab.deps, publicUrl: "https://app.example" });
	const authenticate = async (request: Request): Promise<Principal> => {
		const id = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
		const profile = id === undefined ? null : await readProfile(db, { id });
		if (!profile) throw httpFault.unauthorized();
		return { profile, sessionId: "session" };
	};
	const { execution, once, clock, deps } = lab;
	const origins = createOriginPolicy({ allowedOrigins: [], publicUrl: "https://app.example" });
	const wallets: Wallets = {
		requireOwnPage: (request, asked) => requireOwnPage(request, { origins }, asked),
		authenticate,
		profileOfSocial: async () => null,
		deploymentProfile: () => Promise.reject(httpFault.unauthorized()),
		async principalOf({ profileId }) {
			const profile = profileId === null ? null : await readProfile(db, { id: profileId });
			if (!profile) throw httpFault.unauthorized();
			return { profile, sessionId: null };
		},
		execution,
		once,
		cancel: (intentId, by) => cancelForOwner(deps, links, { intentId, ...by }),
		link: (intent, purpose) => links.askOwner(intent, purpose),
	};
	const kind = transferKind({
		...{ clock, chainOf: (id) => (id === CHAIN_ID ? chain : null), rpcOf: deps.rpcOf },
		tokens: execution.tokens,
	});
	execution.register(kind);
	const context = {
		wallets,
		log: silentLog,
		chains: { ...chains, isServed: (id: number) => id === CHAIN_ID || id === 137 },
		rpcOf: deps.rpcOf,
		newId: () => Bun.randomUUIDv7(),
		ending,
	};
	const app = testHttpApp({
		clock,
		routes: [
			transferRoutes(context),
			linkRoutes({
				deps,
				links,
				execution,
				authenticate,
				chainOf: (id) => chains.byId(id) ?? null,
				origins,
				ending,
			}),
		],
	});
	return {
		...lab,
		links,
		context,
		/** Makes a request as over HTTP, through the real gate. */
		async ask(path: string, options: AskOptions = {}): Promise<Asked> {
			const { body, by, key, method = body === undefined ? "GET" : "POST" } = options;
			const headers = new Headers(options.headers ?? {});
			if (by) headers.set("authorization", `Bearer ${by.profile.id}`);
			if (key !== undefined) headers.set("idempotency-key", key);
			if (body !== undefined) headers.set("content-type", "application/json");
			const sent = typeof body === "string" ? body : JSON.stringify(body);
			const init = body === undefined ? { method, headers } : { method, headers, body: sent };
			const response = await app.handle(new Request(`http://localhost${path}`, init));
			const text = await response.text();
			const isJson = /json/.test(response.headers.get("content-type") ?? "");
			const { status } = response;
			return { status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
		},
	};
}

export type TransfersLab = ReturnType<typeof openTransfersLab>;
