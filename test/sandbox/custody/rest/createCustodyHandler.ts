import { z } from "zod";
import type { CallLog } from "../../provider/faults/callLog.ts";
import { CustodyFault } from "../faults/CustodyFault.ts";
import type { CustodyFaultList } from "../faults/custodyFaultList.ts";
import { spoilAnswer } from "../faults/spoilAnswer.ts";
import type { Person, PersonPlan } from "../people/Person.ts";
import { answerCustody } from "./answerCustody.ts";
import type { CustodyOffice } from "./CustodyOffice.ts";
import { Denial } from "./Denial.ts";

export type CustodyGate = {
	office: CustodyOffice;
	faults: CustodyFaultList;
	calls: CallLog;
	stopped: AbortSignal;
	addPerson(plan: PersonPlan): Promise<Person>;
};

const TokenOrder = z.object({
	/** The user, by DID or by username. */
	userId: z.string(),
	expiresInS: z.int().optional(),
	claims: z.record(z.string(), z.unknown()).optional(),
	header: z.record(z.string(), z.unknown()).optional(),
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

/** Returns the wallet that a call is about: the named one, or that of the requested transaction. */
function walletOf({ store }: CustodyOffice, { pathname, searchParams }: URL): string | null {
	const [, , kind, id = ""] = pathname.split("/").map(decodeURIComponent);
	if (kind === "wallets") return id;
	if (kind !== "transactions") return null;
	const referenceId = searchParams.get("reference_id");
	const found = referenceId === null ? store.byId(id) : store.byReference(referenceId);
	return found?.walletId ?? null;
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

/** Returns the user without the wallet's key, which no caller needs. */
function shown({ wallet, ...person }: Person) {
	if (!wallet) return { ...person, wallet };
	const { privateKey: _, ...rest } = wallet;
	return { ...person, wallet: rest };
}
