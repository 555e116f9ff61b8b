import { z } from "zod";

/**
 * An origin exactly as browsers send it: no path, no default port, no wildcard. One that never
 * matches would look allowed and be refused.
 */
export const exactOrigin = z.string().superRefine((text, context) => {
	const origin =
		/^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text).origin : undefined;
	if (origin === text && !text.includes("*")) return;
	const hint = origin && !text.includes("*") ? `; did you mean ${origin}?` : "";
	context.addIssue({ code: "custom", message: `this is not an exact origin${hint}` });
});
