/** Of a PEM text, or of the part behind a prefix such as `whsec_`. */
const PART_LENGTH_MIN = 16;

/**
 * Every form in which a secret may come back, longest first: as it is, percent-encoded as URLs,
 * forms and our own code do it, decoded, in JSON, without its prefix, and line by line.
 *
 * Made once for a log. An upstream quotes the URL it was asked for, and there the secret has
 * another form than in the configuration.
 */
export function secretForms(secrets: readonly string[]): string[] {
	const forms = secrets.flatMap(withParts).flatMap(encodings);
	// A shorter one may be a part of a longer one, of which the rest would stay.
	return [...new Set(forms)].sort((one, other) => other.length - one.length);
}

function withParts(secret: string): string[] {
	const [, behindPrefix = ""] = /^[a-z][a-z-]{1,15}[_:](.*)$/is.exec(secret) ?? [];
	const parts = [behindPrefix, ...secret.split(/\s+/)];
	return [secret, ...parts.filter(({ length }) => length >= PART_LENGTH_MIN)];
}

function encodings(secret: string): string[] {
	const text = secret.toWellFormed();
	const decoded = decode(text);
	return [secret, decoded].flatMap((form) => {
		const component = encodeURIComponent(form.toWellFormed());
		const url = new URL("http://host/");
		url.password = form;
		const encoded = [component, url.password, encodeURI(form.toWellFormed())];
		const inForm = new URLSearchParams({ a: form }).toString().slice(2);
		const lower = [...encoded, inForm].map((one) =>
			one.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
		);
		return [form, ...encoded, inForm, ...lower, JSON.stringify(form).slice(1, -1)];
	});
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		// A "%" that encodes nothing.
		return text;
	}
}
