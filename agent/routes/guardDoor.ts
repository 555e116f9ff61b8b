import { httpFault } from "#core/http/httpFault.ts";
import { requestContexts } from "#core/http/requestContexts.ts";

/** The names under which the service is reached, and the pages that may call it. */
export type Door = {
	/** The public address (`PUBLIC_URL`), where it is known. */
	publicUrl: string | undefined;
	/** The address that it listens on (`HOST`). */
	listensOn: string;
	/** Origins of other pages that may call (`WEB_ALLOWED_ORIGINS`). */
	allowedOrigins: readonly string[];
};

/**
 * Throws `origin_not_allowed` (403) for a request of a web page that may not call, and for a host
 * name that is not ours.
 *
 * A page whose own name was pointed at this machine (DNS rebinding) has the same origin for its
 * browser. It cannot send a session's token, but could ask public questions. So, unlike for the
 * other routes, the same host is not enough: the origin must be ours, or listed.
 */
export function guardDoor(request: Request, door: Door): void {
	const origin = request.headers.get("origin");
	if (origin !== null && !originsOf(door).includes(origin) && !isLocalPage(origin, door)) {
		throw httpFault.originNotAllowed();
	}
	const host = requestContexts.get(request)?.target.host ?? new URL(request.url).host;
	if (!knowsHost(host, door)) {
		throw httpFault.originNotAllowed({ public: "This service is not reached by that host name." });
	}
}

function originsOf({ publicUrl, allowedOrigins }: Door): string[] {
	const own = publicUrl === undefined ? [] : [new URL(publicUrl).origin];
	return [...own, ...allowedOrigins];
}

/**
 * Returns true for a local page if only this machine can connect: names cannot be rebound to it.
 */
function isLocalPage(origin: string, { listensOn }: Door): boolean {
	if (!isLoopback(listensOn) || !URL.canParse(origin)) return false;
	const { protocol, hostname } = new URL(origin);
	return /^https?:$/.test(protocol) && isLoopback(hostname);
}

/**
 * Returns whether the host is ours. Behind a proxy without `PUBLIC_URL` any name may be: then only
 * the origin decides.
 */
function knowsHost(host: string, { publicUrl, listensOn }: Door): boolean {
	if (!URL.canParse(`http://${host}`)) return false;
	const { hostname } = new URL(`http://${host}`);
	if (isLoopback(hostname) || hostname === listensOn) return true;
	if (publicUrl !== undefined) return hostname === new URL(publicUrl).hostname;
	return !isLoopback(listensOn);
}

function isLoopback(hostname: string): boolean {
	return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(hostname);
}
