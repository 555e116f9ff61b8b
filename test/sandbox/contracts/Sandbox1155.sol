// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {ERC2981} from "@openzeppelin/contracts/token/common/ERC2981.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {SandboxArt} from "./SandboxArt.sol";

struct Setup1155 {
	string name;
	string symbol;
	string about;
	uint256 price;
	uint256 editions;
	uint256 hue;
	uint256 motif;
}

/// Editions with many copies each; ids run from 1 to `editions`.
contract Sandbox1155 is ERC1155, ERC2981 {
	using Strings for uint256;

	error WrongPayment(uint256 expected);
	error NoSuchEdition();

	address public immutable owner;
	uint256 public immutable price;
	uint256 public immutable editions;
	uint256 private immutable hue;
	uint256 private immutable motif;
	string public name;
	string public symbol;
	string private about;
	mapping(uint256 id => uint256) public totalSupply;

	constructor(Setup1155 memory s) ERC1155("") {
		owner = msg.sender;
		(name, symbol, about) = (s.name, s.symbol, s.about);
		(price, editions, hue, motif) = (s.price, s.editions, s.hue, s.motif);
		_setDefaultRoyalty(msg.sender, 500);
	}

	function mint(address to, uint256 id, uint256 amount) external payable {
		if (msg.value != price * amount) revert WrongPayment(price * amount);
		_count(id, amount);
		_mint(to, id, amount, "");
	}

	function mintBatch(address to, uint256[] calldata ids, uint256[] calldata amounts) external payable {
		uint256 units;
		for (uint256 i = 0; i < ids.length; i++) {
			units += amounts[i];
			_count(ids[i], amounts[i]);
		}
		if (msg.value != price * units) revert WrongPayment(price * units);
		_mintBatch(to, ids, amounts, "");
	}

	function contractURI() external view returns (string memory) {
		return SandboxArt.json(string.concat(
			'{"name":"', name, '","description":"', about,
			'","image":"', SandboxArt.image(hue, motif, uint160(address(this))), '"}'
		));
	}

	function uri(uint256 id) public view override returns (string memory) {
		uint256 seed = uint256(keccak256(abi.encode(hue, id)));
		return SandboxArt.json(string.concat(
			'{"name":"', name, ", plate ", id.toString(), '","description":"', about,
			'","image":"', SandboxArt.image(hue, motif, seed), '","attributes":', SandboxArt.traits(seed), "}"
		));
	}

	function supportsInterface(bytes4 id) public view override(ERC1155, ERC2981) returns (bool) {
		return ERC1155.supportsInterface(id) || ERC2981.supportsInterface(id);
	}

	function _count(uint256 id, uint256 amount) private {
		if (id == 0 || id > editions) revert NoSuchEdition();
		totalSupply[id] += amount;
	}
}
