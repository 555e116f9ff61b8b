import { Fault } from "#core/fault/Fault.ts";
import { httpFault } from "#core/http/httpFault.ts";

/**
 * Returns the Fault for a bare status: a route answered `status(404)`, or Elysia itself refused.
 *
 * `told` replaces the general sentence; it must be text that was meant for the caller.
 */
export function faultOfStatus(status: number, told?: string): Fault {
	const make = BY_STATUS[status];
	const details = told === undefined ? {} : { public: told };
	if (make) return make(details);
	if (status >= 500) return httpFault.unavailable({ detail: `answered status ${status}` });
	if (status < 400) return httpFault.internalError({ detail: `threw status ${status}` });
	return new Fault({
		code: `http_${status}`,
		status,
		retry: "never",
		publicDetail: told ?? "The request was refused.",
	});
}

const BY_STATUS: Readonly<Record<number, (details: { public?: string }) => Fault>> = {
	400: httpFault.badRequest,
	401: httpFault.unauthorized,
	403: httpFault.forbidden,
	404: httpFault.notFound,
	405: httpFault.methodNotAllowed,
	409: httpFault.conflict,
	413: httpFault.bodyTooLarge,
	415: httpFault.unsupportedMediaType,
	422: httpFault.validationError,
	426: httpFault.upgradeRequired,
	429: httpFault.rateLimited,
	// A bare 500 may contain an error's text, which must not be repeated.
	500: () => httpFault.internalError({ detail: "a route answered a bare 500" }),
};
