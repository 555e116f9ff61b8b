// Answers the wallet provider's REST API.

import { createHash } from "node:crypto";
import { z } from "zod";
import { DAY_MS } from "#core/time.ts";
import type { CallLog } from "../emulatorFaults.ts";
import { CustodyFault, type CustodyFaultList, spoilAnswer } from "./CustodyFault.ts";
import {
	type CustodyOffice,
	checkSignature,
	Denial,
	renderPerson,
	renderTransaction,
	renderWallet,
} from "./CustodyOffice.ts";
import type { Person, PersonPlan } from "./people.ts";
import { performRpc, rpcBody } from "./sendTransaction.ts";

export type CustodyGate = {
	office: CustodyOffice;
	faults: CustodyFaultList;
	calls: CallLog;
	stopped: AbortSignal;
	addPerson(plan: PersonPlan): Promise<Person>;
};

const BODY_BYTES_MAX = 1_000_000;
/** Running requests with an idempotency key. */
const running = new WeakMap<CustodyOffice, Set<string>>();

const TokenOrder = z.object({
	/** The user, by DID or by username. */
	userId: z.string(),
	expiresInS: z.int().optional(),
	claims: z.record(z.string(), z.unknown()).optional(),
	header: z.record(z.string(), z.unknown()).optional(),
});
/** Where a page of the service wants its visitor back: only on this machine. */
const SignInOrder = z.object({
	return: z.url({ protocol: /^http$/, hostname: /^(?:localhost|127\.0\.0\.1|\[::1\])$/ }),
	state: z.string().regex(/^[\w-]{1,128}$/),
});
const NewPerson = z.object({
	username: z
		.string()
		.regex(/^\w{1,15}$/)
		.nullable()
		.default(null),
	embedded: z.enum(["delegated", "manual", "archived", "none"]).default("delegated"),
	external: z.int().min(0).max(9).nullable().default(null),
});

/** Where webhooks go: only to this machine. */
const WebhookOrder = z.object({
	url: z.url({ protocol: /^http$/, hostname: /^(?:localhost|127\.0\.0\.1|\[::1\])$/ }).nullable(),
});

/**
 * Answers one request of the REST API; a caller without permission is refused before anything is
 * done.
 */
export async function answerCustody(
	office: CustodyOffice,
	request: Request,
	fault: CustodyFault | null,
): Promise<Response> {
	try {
		const { pathname, searchParams } = new URL(request.url);
		const [version, kind, id, last] = pathname.slice(1).split("/").map(decodeURIComponent);
		if (version !== "v1") throw new Denial(404, "Not found");
		const route = `${request.method} ${kind}${id === undefined ? "" : "/:"}${last ? `/${last}` : ""}`;
		if (route === "GET apps/:/jwks.json" && id === office.appId) {
			return Response.json(office.tokens.keySet);
		}
		checkApplication(office, request.headers);
		switch (route) {
			case "POST wallets/:/rpc":
				return await answerRpc(office, request, { walletId: id ?? "", fault });
			case "GET transactions":
				return await listed(office, searchParams.get("reference_id"));
			case "GET transactions/:": {
				const found = office.store.byId(id ?? "");
				if (!found || isHidden(office, found.id)) throw new Denial(404, "Transaction not found");
				return Response.json(await renderTransaction(office, found));
			}
			case "GET users/:": {
				const person = office.people.find(id ?? "");
				if (person?.id !== id) throw new Denial(404, "User not found");
				return Response.json(person && renderPerson(person));
			}
			case "GET wallets/:": {
				const wallet = office.people.walletOf(id ?? "");
				if (!wallet) throw new Denial(404, "Wallet not found");
				return Response.json(renderWallet(wallet, office.quorumId));
			}
			case "GET key_quorums/:":
				return quorum(office, id ?? "");
			default:
				throw new Denial(404, "Not found");
		}
	} catch (cause) {
		if (cause instanceof Denial) return cause.toResponse();
		return new Denial(500, "Internal error").toResponse();
	}
}

/** Makes the handler in front of the routes: faults, and the endpoints for tests and developers. */
export function createCustodyHandler(gate: CustodyGate): (request: Request) => Promise<Response> {
	return async (request) => {
		const url = new URL(request.url);
		if (url.pathname.startsWith("/_sandbox/")) return await control(gate, request, url);
		gate.calls.note(request.method, url);
		const call = `${request.method} ${url.pathname}${url.search}`;
		const fault = gate.faults.take(call, walletOf(gate.office, url));
		const answer = () => answerCustody(gate.office, request, fault);
		return fault ? await spoilAnswer(fault, gate.stopped, answer) : await answer();
	};
}

function checkApplication({ appId, appSecret }: CustodyOffice, headers: Headers): void {
	const basic = `Basic ${Buffer.from(`${appId}:${appSecret}`).toString("base64")}`;
	if (headers.get("authorization") !== basic) throw new Denial(401, "Invalid app ID or app secret");
	if (headers.get("privy-app-id") !== appId) throw new Denial(401, "Missing privy-app-id");
}

/**
 * Answers a request that signs. With an idempotency key it is done once: the same body gets the
 * bytes of the first answer, also of an error; another body is refused.
 */
async function answerRpc(
	office: CustodyOffice,
	request: Request,
	{ walletId, fault }: { walletId: string; fault: CustodyFault | null },
): Promise<Response> {
	const { method, url, headers } = request;
	const text = await request.text();
	if (text.length > BODY_BYTES_MAX) throw new Denial(413, "Request too large");
	const parsed = rpcBody.safeParse(jsonOf(text));
	const wallet = office.people.walletOf(walletId);
	if (!wallet) throw new Denial(404, "Wallet not found");
	checkSignature({ method, url, headers, body: jsonOf(text) }, office.quorumKey);
	if (!wallet.isDelegated) {
		const sentence = "No valid authorization signatures were provided";
		throw new Denial(401, sentence, "zero_correct_authorization_signatures");
	}
	const expiresAtMs = expiryOf(headers.get("privy-request-expiry"));
	const work = async (): Promise<Response> => {
		try {
			if (wallet.isArchived) throw new Denial(400, "Wallet is archived");
			if (!parsed.success) throw new Denial(400, "[Input error] Invalid request body");
			const asked = { wallet, expiresAtMs, fault };
			return Response.json(await performRpc(office, parsed.data, asked));
		} catch (cause) {
			return (cause instanceof Denial ? cause : new Denial(500, "Internal error")).toResponse();
		}
	};
	if (expiresAtMs !== null && office.clock.nowMs() >= expiresAtMs) {
		throw new Denial(400, "The request has expired");
	}
	const key = headers.get("privy-idempotency-key");
	if (key === null) return await work();
	return await once(office, { key, text: `${url}\n${text}`, work });
}

function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

function expiryOf(text: string | null): number | null {
	if (text === null) return null;
	if (!/^\d{1,15}$/.test(text)) throw new Denial(400, "Invalid privy-request-expiry");
	return Number(text);
}

async function once(
	office: CustodyOffice,
	{ key, text, work }: { key: string; text: string; work: () => Promise<Response> },
): Promise<Response> {
	const { store, clock } = office;
	const bodyHash = createHash("sha256").update(text).digest("hex");
	// After a day a key is new again, and the request is executed again.
	const before = store.response(key, clock.nowMs() - DAY_MS);
	if (before && before.bodyHash !== bodyHash) {
		throw new Denial(400, "The idempotency key was used with another body");
	}
	const headers = { "content-type": "application/json" };
	if (before) return new Response(before.body, { status: before.status, headers });
	const underWay = running.get(office) ?? new Set();
	running.set(office, underWay);
	if (underWay.has(key)) throw new Denial(409, "A request with this idempotency key is under way");
	underWay.add(key);
	try {
		const answer = await work();
		const body = await answer.text();
		store.keepResponse(key, { bodyHash, status: answer.status, body }, clock.nowMs());
		return new Response(body, { status: answer.status, headers });
	} finally {
		underWay.delete(key);
	}
}

async function listed(office: CustodyOffice, referenceId: string | null): Promise<Response> {
	if (!referenceId) throw new Denial(400, "reference_id is required");
	const found = office.store.byReference(referenceId);
	const transactions =
		found && !isHidden(office, found.id) ? [await renderTransaction(office, found)] : [];
	return Response.json({ transactions });
}

/** Returns true for a transaction that the provider claims not to have. */
function isHidden({ store }: CustodyOffice, id: string): boolean {
	return store.claimOf(id)?.status === "nothing";
}

function quorum(office: CustodyOffice, id: string): Response {
	const spki = office.quorumKey.export({ format: "der", type: "spki" });
	const keys = [{ public_key: spki.toString("base64"), display_name: "service" }];
	const isOurs = id === office.quorumId;
	if (!isOurs && !id.startsWith("owner")) throw new Denial(404, "Key quorum not found");
	return Response.json({
		id,
		display_name: null,
		authorization_threshold: 1,
		authorization_keys: isOurs ? keys : [],
		user_ids: isOurs ? null : ["its owner"],
	});
}

async function control(gate: CustodyGate, request: Request, url: URL): Promise<Response> {
	const { faults, calls, office } = gate;
	const body: unknown = request.method === "POST" ? await request.json().catch(() => null) : null;
	switch (`${request.method} ${url.pathname}`) {
		case "POST /_sandbox/faults": {
			const fault = CustodyFault.safeParse(body);
			if (!fault.success) return new Denial(400, fault.error.message).toResponse();
			faults.add(fault.data);
			return Response.json({ faults: faults.all() });
		}
		case "GET /_sandbox/faults":
			return Response.json({ faults: faults.all() });
		case "DELETE /_sandbox/faults":
			faults.clear();
			office.store.clearClaims();
			return Response.json({ faults: [] });
		case "GET /_sandbox/calls":
			return Response.json(calls.read());
		case "DELETE /_sandbox/calls":
			calls.clear();
			return Response.json(calls.read());
		case "POST /_sandbox/token": {
			const order = TokenOrder.safeParse(body);
			const person = office.people.find(order.data?.userId ?? "");
			if (!order.data || !person) return new Denial(400, "Nobody of that name").toResponse();
			return Response.json({ token: office.tokens.mint({ ...order.data, userId: person.id }) });
		}
		case "GET /_sandbox/sign-in":
			return signInPage(office, url.searchParams);
		case "POST /_sandbox/users": {
			const plan = NewPerson.safeParse(body ?? {});
			if (!plan.success) return new Denial(400, plan.error.message).toResponse();
			return Response.json(shown(await gate.addPerson(plan.data)), { status: 201 });
		}
		case "GET /_sandbox/users":
			return Response.json({ users: office.people.all().map(shown) });
		case "POST /_sandbox/webhooks": {
			const order = WebhookOrder.safeParse(body);
			if (!order.success) return new Denial(400, order.error.message).toResponse();
			office.postbox.sendTo(order.data.url);
			return Response.json({ url: order.data.url });
		}
		case "GET /_sandbox/webhooks": {
			const { postbox } = office;
			return Response.json({ url: postbox.url(), attempts: postbox.attempts() });
		}
		case "GET /_sandbox/transactions":
			return Response.json({ transactions: office.store.all() });
		default:
			return new Denial(404, "Not found").toResponse();
	}
}

/** Shows who there is: a click signs in as one of them, and leads back. */
function signInPage(office: CustodyOffice, query: URLSearchParams): Response {
	const order = SignInOrder.safeParse(Object.fromEntries(query));
	if (!order.data) return new Denial(400, "Name where to return to, and a state").toResponse();
	const { return: back, state } = order.data;
	const links = office.people.all().flatMap(({ id, username, wallet }) => {
		if (username === null) return [];
		const token = office.tokens.mint({ userId: id });
		const to = `${new URL(back).href}#${new URLSearchParams({ token, state })}`.replaceAll(
			"&",
			"&amp;",
		);
		const what = wallet?.isDelegated ? "the service may send" : "signs each step";
		return [`<li><a href="${to}">${username}</a> (${what})</li>`];
	});
	const page = `<!doctype html><meta charset="utf-8"><title>Sandbox wallets</title>
<h1>Who are you in this sandbox?</h1><ul>${links.join("")}</ul>`;
	return new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } });
}

/** Returns the user without the wallet's key, which no caller needs. */
function shown({ wallet, ...person }: Person) {
	if (!wallet) return { ...person, wallet };
	const { privateKey: _, ...rest } = wallet;
	return { ...person, wallet: rest };
}

/** Returns the wallet that a call is about: the named one, or that of the requested transaction. */
function walletOf({ store }: CustodyOffice, { pathname, searchParams }: URL): string | null {
	const [, , kind, id = ""] = pathname.split("/").map(decodeURIComponent);
	if (kind === "wallets") return id;
	if (kind !== "transactions") return null;
	const referenceId = searchParams.get("reference_id");
	const found = referenceId === null ? store.byId(id) : store.byReference(referenceId);
	return found?.walletId ?? null;
}
