#include <bits/stdc++.h>

using namespace std;
using ll = long long;

struct segment_tree {
    int size;
    vector<ll> sums, lazy;
    explicit segment_tree(int n) : size(n), sums(4 * n), lazy(4 * n) {}
    void push(int node, int left, int right) {
        if (lazy[node] == 0) {
            return;
        }
        sums[node] += lazy[node] * (right - left + 1);
        if (left != right) {
            lazy[2 * node] += lazy[node];
            lazy[2 * node + 1] += lazy[node];
        }
        lazy[node] = 0;
    }
    void add(int node, int left, int right, int from, int to, ll value) {
        push(node, left, right);
        if (to < left || right < from) {
            return;
        }
        if (from <= left && right <= to) {
            lazy[node] += value;
            push(node, left, right);
            return;
        }
        int middle = (left + right) / 2;
        add(2 * node, left, middle, from, to, value);
        add(2 * node + 1, middle + 1, right, from, to, value);
        sums[node] = sums[2 * node] + sums[2 * node + 1];
    }
    ll sum(int node, int left, int right, int from, int to) {
        push(node, left, right);
        if (to < left || right < from) {
            return 0;
        }
        if (from <= left && right <= to) {
            return sums[node];
        }
        int middle = (left + right) / 2;
        return sum(2 * node, left, middle, from, to) + sum(2 * node + 1, middle + 1, right, from, to);
    }
};

struct disjoint_sets {
    vector<int> parent, rank;
    explicit disjoint_sets(int n) : parent(n), rank(n) {
        iota(parent.begin(), parent.end(), 0);
    }
    int find(int x) {
        return parent[x] == x ? x : parent[x] = find(parent[x]);
    }
    bool join(int a, int b) {
        a = find(a);
        b = find(b);
        if (a == b) {
            return false;
        }
        if (rank[a] < rank[b]) {
            swap(a, b);
        }
        parent[b] = a;
        rank[a] += rank[a] == rank[b];
        return true;
    }
};

static vector<ll> shortest(const vector<vector<pair<int, ll>>> &graph, int from) {
    vector<ll> distance(graph.size(), LLONG_MAX);
    priority_queue<pair<ll, int>, vector<pair<ll, int>>, greater<>> queue;
    distance[from] = 0;
    queue.push({0, from});
    while (!queue.empty()) {
        auto [far, at] = queue.top();
        queue.pop();
        if (far > distance[at]) {
            continue;
        }
        for (auto [to, length] : graph[at]) {
            if (far + length < distance[to]) {
                distance[to] = far + length;
                queue.push({distance[to], to});
            }
        }
    }
    return distance;
}

static ll spanning_tree(int n, vector<tuple<ll, int, int>> edges) {
    disjoint_sets sets(n);
    ll total = 0;
    sort(edges.begin(), edges.end());
    for (auto &[length, a, b] : edges) {
        if (sets.join(a, b)) {
            total += length;
        }
    }
    return total;
}

static vector<int> prefix_function(const string &text) {
    vector<int> prefix(text.size());
    for (size_t i = 1; i < text.size(); i++) {
        int k = prefix[i - 1];
        while (k > 0 && text[i] != text[k]) {
            k = prefix[k - 1];
        }
        prefix[i] = k + (text[i] == text[k]);
    }
    return prefix;
}

static map<string, vector<int>> group_words(const vector<string> &words) {
    map<string, vector<int>> groups;
    for (size_t i = 0; i < words.size(); i++) {
        string key = words[i];
        sort(key.begin(), key.end());
        groups[key].push_back((int)i);
    }
    return groups;
}

static ll increasing(const vector<int> &values) {
    vector<int> tails;
    for (int value : values) {
        auto place = lower_bound(tails.begin(), tails.end(), value);
        if (place == tails.end()) {
            tails.push_back(value);
        } else {
            *place = value;
        }
    }
    return (ll)tails.size();
}

static ll power(ll base, ll exponent, ll modulus) {
    ll result = 1 % modulus;
    for (base %= modulus; exponent > 0; exponent >>= 1) {
        if (exponent & 1) {
            result = result * base % modulus;
        }
        base = base * base % modulus;
    }
    return result;
}

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    ll a, b;
    cin >> a >> b;
    const int n = 64;
    segment_tree tree(n);
    vector<vector<pair<int, ll>>> graph(n);
    vector<tuple<ll, int, int>> edges;
    vector<string> words;
    vector<int> values;
    mt19937 random(42);
    for (int i = 0; i < n; i++) {
        int to = (int)(random() % n);
        ll length = (ll)(random() % 100 + 1);
        graph[i].push_back({to, length});
        graph[to].push_back({i, length});
        edges.emplace_back(length, i, to);
        words.push_back(to_string(random() % 1000));
        values.push_back((int)(random() % 1000));
        tree.add(1, 0, n - 1, min(i, to), max(i, to), length);
    }
    unordered_map<ll, int> seen;
    for (ll distance : shortest(graph, 0)) {
        seen[distance]++;
    }
    set<int> distinct(values.begin(), values.end());
    ll noise = tree.sum(1, 0, n - 1, 0, n - 1) + spanning_tree(n, edges) + (ll)group_words(words).size() +
               increasing(values) + power(3, 100, 1000003) + prefix_function("abacaba").back() +
               (ll)distinct.size() + (ll)seen.size();
    cerr << noise << "\n";
    cout << a + b << "\n";
}
