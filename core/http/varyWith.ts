/** Returns the text of a `vary` header with this header's name added, unless it contains it. */
export function varyWith(existing: string | null | undefined, name: string): string {
	if (!existing) return name;
	const isThere = existing === "*" || namesOf(existing).includes(name.toLowerCase());
	return isThere ? existing : `${existing}, ${name}`;
}

function namesOf(vary: string): string[] {
	return vary.toLowerCase().split(/,\s*/);
}
