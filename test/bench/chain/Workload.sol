// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// The emitters of the bench's chain. They keep no owners and check nothing: only their logs count.

contract Drop721 {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    string public name;
    uint256 private issued;

    constructor(string memory name_) {
        name = name_;
    }

    function drop(uint256 count, uint160 firstHolder) external payable {
        uint256 id = issued;
        issued = id + count;
        for (uint256 n = 0; n < count; n++) {
            emit Transfer(address(0), address(firstHolder + uint160(n % 61)), ++id);
        }
    }
}

contract Drop1155 {
    event TransferSingle(
        address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value
    );
    event TransferBatch(
        address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values
    );

    string public constant name = "Bench Editions";
    uint256 private issued;

    function dropSingles(uint256 count, uint160 firstHolder) external {
        uint256 id = issued;
        issued = id + count;
        for (uint256 n = 0; n < count; n++) {
            emit TransferSingle(msg.sender, address(0), address(firstHolder + uint160(n)), ++id, n + 1);
        }
    }

    function dropBatch(uint256 count, address holder) external {
        uint256 id = issued;
        issued = id + count;
        uint256[] memory ids = new uint256[](count);
        uint256[] memory values = new uint256[](count);
        for (uint256 n = 0; n < count; n++) {
            ids[n] = ++id;
            values[n] = n + 1;
        }
        emit TransferBatch(msg.sender, address(0), holder, ids, values);
    }
}

// Noise: an ERC-20 mint has the first topic of an ERC-721 one, and three topics.
contract Coin20 {
    event Transfer(address indexed from, address indexed to, uint256 value);

    function drop(uint256 count, uint160 firstHolder) external {
        for (uint256 n = 0; n < count; n++) {
            emit Transfer(address(0), address(firstHolder + uint160(n)), 1 ether);
        }
    }
}

// Says what Seaport says of a filled listing: one NFT for three payments (seller, fee, creator).
contract Fulfiller {
    struct Spent {
        uint8 itemType;
        address token;
        uint256 identifier;
        uint256 amount;
    }

    struct Received {
        uint8 itemType;
        address token;
        uint256 identifier;
        uint256 amount;
        address payable recipient;
    }

    event OrderFulfilled(
        bytes32 orderHash,
        address indexed offerer,
        address indexed zone,
        address recipient,
        Spent[] offer,
        Received[] consideration
    );

    uint256 private filled;

    function fill(address token, uint256 firstId, uint256 count, uint256 priceMin) external {
        uint256 order = filled;
        filled = order + count;
        for (uint256 n = 0; n < count; n++) {
            order++;
            uint256 price = priceMin + (uint256(keccak256(abi.encode(order))) % priceMin);
            address seller = address(uint160(0x51000000 + n));
            Spent[] memory offer = new Spent[](1);
            offer[0] = Spent(2, token, firstId + n, 1);
            uint256 fee = price / 40;
            uint256 royalty = price / 20;
            Received[] memory paid = new Received[](3);
            paid[0] = Received(0, address(0), 0, price - fee - royalty, payable(seller));
            paid[1] = Received(0, address(0), 0, fee, payable(address(0xFEE5)));
            paid[2] = Received(0, address(0), 0, royalty, payable(address(0xA47157)));
            emit OrderFulfilled(
                keccak256(abi.encode(token, order)),
                seller,
                address(0),
                address(uint160(0xB0000000 + n)),
                offer,
                paid
            );
        }
    }
}

// What Multicall3 does where a service reads many views by one call: each call may fail by itself.
contract Aggregator {
    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function aggregate3(Call3[] calldata asked) external payable returns (Result[] memory results) {
        results = new Result[](asked.length);
        for (uint256 n = 0; n < asked.length; n++) {
            (bool succeeded, bytes memory answer) = asked[n].target.call(asked[n].callData);
            require(succeeded || asked[n].allowFailure, "a call failed");
            results[n] = Result(succeeded, answer);
        }
    }
}
