import { createHash } from "node:crypto";
import { DAY_MS } from "#core/time/units.ts";
import type { CustodyFault } from "../faults/CustodyFault.ts";
import type { CustodyOffice } from "./CustodyOffice.ts";
import { checkSignature } from "./checkSignature.ts";
import { Denial } from "./Denial.ts";
import { performRpc } from "./performRpc.ts";
import { renderPerson } from "./renderPerson.ts";
import { renderTransaction } from "./renderTransaction.ts";
import { renderWallet } from "./renderWallet.ts";
import { rpcBody } from "./rpcBody.ts";

const BODY_BYTES_MAX = 1_000_000;
/** Running requests with an idempotency key. */
const running = new WeakMap<CustodyOffice, Set<string>>();

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

function checkApplication({ appId, appSecret }: CustodyOffice, headers: Headers): void {
	const basic = `Basic ${Buffer.from(`${appId}:${appSecret}`).toString("base64")}`;
	if (headers.get("authorization") !== basic) throw new Denial(401, "Invalid app ID or app secret");
	if (headers.get("privy-app-id") !== appId) throw new Denial(401, "Missing privy-app-id");
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

function expiryOf(text: string | null): number | null {
	if (text === null) return null;
	if (!/^\d{1,15}$/.test(text)) throw new Denial(400, "Invalid privy-request-expiry");
	return Number(text);
}

function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}
