// Finds schemas that refer back to themselves without a property or an item in between: they could
// not be evaluated.
#include "gateway/contract/schema/compile.h"

#include "config/text.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

// Adds the nodes that apply to the same value.
void add_in_place(Program const& program, NodeIndex index, std::vector<NodeIndex>& out) {
    SchemaNode const& node = program.nodes[index];
    for (std::uint32_t i = node.any; i < node.end; ++i) {
        Instruction const& instruction = program.instructions[i];
        auto const operand = static_cast<std::size_t>(instruction.operand);
        switch (instruction.op) {
        case Op::all_of:
        case Op::any_of:
        case Op::one_of: {
            auto const& nodes = program.children[operand].nodes;
            out.insert(out.end(), nodes.begin(), nodes.end());
            break;
        }
        case Op::negation: out.push_back(static_cast<NodeIndex>(operand)); break;
        case Op::condition: {
            Conditional const& one = program.conditionals[operand];
            out.insert(out.end(), {one.if_node, one.then_node, one.else_node});
            break;
        }
        case Op::when: out.push_back(program.whens[operand].node); break;
        case Op::members:
            for (DependentSchema const& one : program.member_tables[operand].dependent_schemas)
                out.push_back(one.node);
            break;
        default: break;
        }
    }
    out.erase(std::remove(out.begin(), out.end(), anything), out.end());
}

// Finds a loop among the nodes from `first` on. Those before it are of earlier schemas, which have
// none, and lead to none of the later ones: to look at them again for each schema would take a
// quarter of the time of a document with 15,000 operations.
class LoopSearch {
public:
    LoopSearch(Program const& program, NodeIndex first)
        : program_{program}, first_{first}, states_(program.nodes.size() - first, State::unseen) {}

    // The nodes of the first loop that is found.
    [[nodiscard]] std::vector<NodeIndex> run() {
        for (std::size_t i = 0; i < states_.size(); ++i) {
            auto const node = static_cast<NodeIndex>(first_ + i);
            if (state_of(node) == State::unseen && visit(node)) return loop_;
        }
        return {};
    }

private:
    enum class State : std::uint8_t { unseen, open, closed };
    struct Frame {
        NodeIndex node;
        std::vector<NodeIndex> next;
    };

    [[nodiscard]] State state_of(NodeIndex node) const {
        return node < first_ ? State::closed : states_[node - first_];
    }
    void set_state(NodeIndex node, State state) { states_[node - first_] = state; }

    bool visit(NodeIndex start) {
        std::vector<Frame> frames;
        push(frames, start);
        while (!frames.empty()) {
            if (frames.back().next.empty()) {
                set_state(frames.back().node, State::closed);
                frames.pop_back();
                continue;
            }
            NodeIndex const node = frames.back().next.back();
            frames.back().next.pop_back();
            if (state_of(node) == State::open) {
                auto const begin =
                    std::find_if(frames.begin(), frames.end(),
                                 [node](Frame const& frame) { return frame.node == node; });
                for (auto frame = begin; frame != frames.end(); ++frame)
                    loop_.push_back(frame->node);
                return true;
            }
            if (state_of(node) == State::unseen) push(frames, node);
        }
        return false;
    }

    void push(std::vector<Frame>& frames, NodeIndex node) {
        set_state(node, State::open);
        Frame& frame = frames.emplace_back();
        frame.node = node;
        add_in_place(program_, node, frame.next);
    }

    Program const& program_;
    NodeIndex first_;
    std::vector<State> states_;
    std::vector<NodeIndex> loop_;
};

} // namespace

// An expansion of a recursive schema may be shared with an earlier one, which may be inside a
// property or an item although another reference leads to it in place.
bool SchemaCompiler::has_loop(NodeIndex first) {
    if (links_.empty()) return false;
    auto const loop = LoopSearch{program_, first}.run();
    if (loop.empty()) return false;
    // A tree has no loops: one of the shared references is part of each loop.
    for (Link const& link : links_) {
        if (std::find(loop.begin(), loop.end(), link.to) == loop.end()) continue;
        refers_in_place(*link.value, link.path);
        break;
    }
    return true;
}

} // namespace sallyport::contract
